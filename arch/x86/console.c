/* SPDX-License-Identifier: GPL-2.0-or-later
 * Finding consoles and talking to them. */
#include "arch/x86/console.h"

#include "arch/x86/clock.h"
#include "arch/x86/fb.h"
#include "arch/x86/keyboard.h"
#include "arch/x86/paging.h"
#include "arch/x86/params.h"
#include "arch/x86/pci.h"
#include "arch/x86/uart.h"
#include "arch/x86/x86.h"
#include "base/string.h"
#include "base/text.h"

enum {
	MOST_UARTS = 16,
	MOST_CARDS = 8,
	CHUNK = 16, /* as large as a FIFO: so several ports send at the same time */
	VGA_TEXT = 0xb8000,
	PORT_DEBUG = 0xe9, /* QEMU's and Bochs's: reads as its number */
};

static struct {
	struct uart uart[MOST_UARTS];
	unsigned nr;
	bool all; /* whatever console= says: it is not known yet, or what it names is not here */
	bool debug, screen, keyboard;
	struct boot_fb fb;
	struct keyboard keys;
	char typed[KEY_BYTES]; /* of the last key, what has not been taken yet */
	unsigned nr_typed, taken;
} console;

/* ---- console= ---- */

/* "com" names all of that kind, "com1" one of them. */
static bool names(const char *word, size_t n, const char *name)
{
	return !strncmp(word, name, n) && (!name[n] || (name[n] >= '0' && name[n] <= '9' && !name[n + 1]));
}

static bool is_listed(const char *name)
{
	for (const char *word = machine_param.console;; word++) {
		const char *comma = strchr(word, ',');
		size_t n = comma ? (size_t)(comma - word) : strlen(word);

		if (n && (names(word, n, name) || (n == 4 && !strncmp(word, "auto", n))))
			return true;
		if (!comma)
			return false;
		word = comma;
	}
}

static bool is_wanted(const char *name)
{
	return console.all || is_listed(name);
}

/* ---- serial ports ---- */

static struct uart *find_uart(u64 base)
{
	for (unsigned i = 0; i < console.nr; i++)
		if (console.uart[i].base == base)
			return &console.uart[i];
	return NULL;
}

/* NULL: it is not there, is there already, or is not wanted. */
static struct uart *add_uart(const struct uart *proposed, u64 baud)
{
	struct uart *u = &console.uart[console.nr];

	if (console.nr == MOST_UARTS || find_uart(proposed->base) || !is_wanted(proposed->name))
		return NULL;
	*u = *proposed;
	u->flow = machine_param.flow == FLOW_RTSCTS;
	if (!uart_init(u, baud))
		return NULL;
	console.nr++;
	return u;
}

static void add_port(const char *kind, unsigned number, u64 port)
{
	struct uart u = { .base = port };

	text_format(u.name, sizeof(u.name), number ? "%s%u" : "%s", kind, number);
	if (port)
		add_uart(&u, machine_param.baud);
}

static void add_usual_ports(void)
{
	static const u16 port[] = { 0x3f8, 0x2f8, 0x3e8, 0x2e8 };

	for (unsigned i = 0; i < ARRAY_SIZE(port); i++)
		add_port("com", i + 1, port[i]);
	add_port("port", 0, machine_param.serial);
}

/* Mapped registers seldom have a PC's clock behind them: whoever chose the divisor knew. */
static bool map_uart(struct uart *u, u8 stride, u8 width)
{
	u->stride = stride;
	u->width = width;
	u->mapped = paging_map_device(u->base, (u64)UART_REGISTERS * stride);
	return u->mapped;
}

/* The speed that the firmware and a management controller behind it talk at, unless the command line has one. */
static u64 baud_of(const struct acpi_uart *a)
{
	return a->baud && machine_param.baud == BAUD_DEFAULT ? a->baud : machine_param.baud;
}

static void add_acpi_uart(const struct acpi_uart *a, unsigned number)
{
	struct uart u = { .base = a->at.address }, *known = find_uart(u.base);

	text_format(u.name, sizeof(u.name), "acpi%u", number);
	if (known && a->baud)
		uart_set_speed(known, baud_of(a));
	else if (a->at.space == ACPI_IO_SPACE)
		add_uart(&u, baud_of(a));
	else if (map_uart(&u, a->stride, a->width))
		add_uart(&u, 0);
}

/* A card that decodes fewer addresses than it asks for shows one port several times. */
static void add_card(const struct pci_serial *card, unsigned *number)
{
	struct uart *first = NULL, *added;

	for (unsigned i = 0; i < card->ports; i++) {
		struct uart u = { .base = card->base + (u64)i * UART_REGISTERS };

		text_format(u.name, sizeof(u.name), "pci%u", *number);
		if (card->memory && !map_uart(&u, 1, 1))
			return;
		added = add_uart(&u, card->memory ? 0 : machine_param.baud);
		if (added && first && uart_is_alias(added, first)) {
			console.nr--;
			return;
		}
		*number += added != NULL;
		first = first ? first : added;
	}
}

static void add_cards(void)
{
	struct pci_serial card[MOST_CARDS];
	unsigned n = pci_find_serial(card, MOST_CARDS), number = 1;

	for (unsigned i = 0; i < n; i++)
		add_card(&card[i], &number);
}

/* ---- screen ---- */

/* Without a word from the loader: does a VGA show text where it usually does? Where there is none its registers read as ones. */
static bool vga_shows_text(void)
{
	enum { GRAPHICS_INDEX = 0x3ce, GRAPHICS_DATA = 0x3cf, MISCELLANEOUS = 6, IS_GRAPHICS = 1, WINDOW = 0xc };
	u8 value;

	out8(GRAPHICS_INDEX, MISCELLANEOUS);
	value = in8(GRAPHICS_DATA);
	return !(value & IS_GRAPHICS) && (value & WINDOW) == WINDOW;
}

static void hide_text_cursor(void)
{
	out8(0x3d4, 0x0a);
	out8(0x3d5, 0x20);
}

static u64 screen_bytes(void)
{
	return (u64)console.fb.pitch * console.fb.height;
}

static void find_screen(const struct bootinfo *info)
{
	static const struct boot_fb vga = { .type = FB_TEXT, .addr = VGA_TEXT, .pitch = 160, .width = 80, .height = 25 };

	console.fb = info->fb;
	if (console.fb.type == FB_NONE && info->firmware != FIRMWARE_UEFI && vga_shows_text())
		console.fb = vga;
}

static void add_screen(volatile void *at)
{
	if (!is_wanted("screen"))
		return;
	console.screen = fb_init(&console.fb, at);
	if (console.screen && console.fb.type == FB_TEXT)
		hide_text_cursor();
}

void console_hide_screen(void)
{
	if (console.screen)
		fb_show(NULL);
}

/* ---- keyboard ---- */

enum { PORT_KEY = 0x60, PORT_KEY_STATUS = 0x64, KEY_HERE = 1, KEY_BUSY = 2, KEY_FROM_MOUSE = 0x20, KEY_ENABLE = 0xae };

/* No controller reads as ones, and must not be waited for. */
static bool key_status(u8 *status)
{
	*status = in8(PORT_KEY_STATUS);
	return *status != 0xff;
}

static void add_keyboard(void)
{
	u8 status;

	console.keyboard = is_wanted("screen") && key_status(&status);
	if (console.keyboard && !(status & KEY_BUSY))
		out8(PORT_KEY_STATUS, KEY_ENABLE);
}

static void read_key(void)
{
	u8 status, code;

	if (!console.keyboard || !key_status(&status) || !(status & KEY_HERE))
		return;
	code = in8(PORT_KEY);
	console.taken = 0;
	console.nr_typed = status & KEY_FROM_MOUSE ? 0 : keyboard_decode(&console.keys, code, console.typed);
}

/* ---- beginning ---- */

void console_begin(void)
{
	struct uart u = { .name = "com1", .base = 0x3f8 };

	console.all = true;
	add_uart(&u, BAUD_DEFAULT);
}

static void add_early(volatile void *screen)
{
	add_usual_ports();
	console.debug = is_wanted("debug") && in8(PORT_DEBUG) == PORT_DEBUG;
	add_screen(screen);
	add_keyboard();
}

/* The boot page tables map the low 4 GiB. */
void console_init(const struct bootinfo *info)
{
	console.nr = 0;
	console.all = false;
	find_screen(info);
	add_early(console.fb.addr + screen_bytes() <= 1ull << 32 ? (void *)console.fb.addr : NULL);
}

static void add_late(const struct acpi_info *acpi)
{
	for (unsigned i = 0; i < acpi->nr_uarts; i++)
		add_acpi_uart(&acpi->uart[i], i + 1);
	add_cards();
}

static void say_uarts(void)
{
	for (unsigned i = 0; i < console.nr; i++) {
		const struct uart *u = &console.uart[i];

		say("Console: %s, %s at %s 0x%llx%s\n", u->name,
			u->fifo > 1  ? "16550"
			: u->scratch ? "16450"
				     : "8250",
			u->mapped ? "address" : "port", (unsigned long long)u->base, u->flow ? ", RTS/CTS" : "");
	}
}

/* A console= that names nothing must not end in silence. */
void console_complete(const struct acpi_info *acpi)
{
	volatile void *screen = console.fb.type == FB_NONE ? NULL : paging_map_device(console.fb.addr, screen_bytes());

	if (console.screen)
		fb_show(screen);
	add_late(acpi);
	if (!console.nr && !console.screen && !console.debug && !is_listed("auto")) {
		console.all = true;
		add_early(screen);
		add_late(acpi);
		say("console=%s names no console that there is, so all are used: auto, com, com1, port, acpi, pci, debug, screen\n",
			machine_param.console);
	}
	say_uarts();
	if (console.screen)
		say("Console: screen, %u columns, %u rows%s\n", fb_columns(), fb_rows(),
			console.fb.type == FB_TEXT ? " of text" : "");
}

/* ---- text ---- */

struct chunk {
	char text[CHUNK];
	size_t used;
};

static void chunk_send(struct chunk *k)
{
	for (unsigned i = 0; i < console.nr; i++)
		uart_write(&console.uart[i], k->text, k->used);
	for (size_t i = 0; console.debug && i < k->used; i++)
		out8(PORT_DEBUG, (u8)k->text[i]);
	k->used = 0;
}

static void chunk_put(struct chunk *k, char c)
{
	k->text[k->used++] = c;
	if (k->used == CHUNK)
		chunk_send(k);
}

void console_write(const char *text, size_t bytes)
{
	struct chunk k = { .used = 0 };

	for (size_t i = 0; i < bytes; i++) {
		if (text[i] == '\n')
			chunk_put(&k, '\r');
		chunk_put(&k, text[i]);
	}
	chunk_send(&k);
	if (console.screen)
		fb_write(text, bytes);
}

int console_read(char *c)
{
	if (console.taken == console.nr_typed)
		read_key();
	if (console.taken < console.nr_typed) {
		*c = console.typed[console.taken++];
		return 1;
	}
	for (unsigned i = 0; i < console.nr; i++)
		if (uart_read(&console.uart[i], c))
			return 1;
	return console.nr || console.keyboard ? 0 : -E_NOENT;
}

/* ---- the end ---- */

void console_farewell(void)
{
	for (unsigned i = 0; i < console.nr; i++) {
		const struct uart *u = &console.uart[i];

		if (u->lost)
			say("Console %s: %llu of %llu characters could not be sent\n", u->name, (unsigned long long)u->lost,
				(unsigned long long)(u->lost + u->sent));
	}
}

void console_hold(u64 seconds)
{
	enum { GLANCES = 100 }; /* a second */
	char c;

	if (!seconds || !console.screen || console.nr)
		return;
	say("The only copy of these results is on this screen. It stays for %llu s, or until a key is pressed\n",
		(unsigned long long)seconds);
	for (u64 i = 0; i < seconds * GLANCES && console_read(&c) != 1; i++)
		clock_wait_alone_ms(1000 / GLANCES);
}
