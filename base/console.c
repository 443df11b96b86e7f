/* SPDX-License-Identifier: GPL-2.0-or-later
 * The text stream: collected in memory, written to the machine's console when nobody is being measured. */
#include "base/aside.h"
#include "base/spinlock.h"
#include "base/string.h"
#include "base/text.h"

/* A piece is what is written with the lock held and interrupts off: 5 ms at 115200 baud. */
enum { STREAM_BYTES = 64 * 1024, PIECE_BYTES = 64 };

static struct {
	struct spinlock lock;
	unsigned held; /* lock */
	bool panic;
	size_t head, used; /* lock; a ring: what is still to be written */
	char text[STREAM_BYTES];
} stream = { .lock = SPINLOCK_INIT(RANK_CONSOLE) };

static unsigned long stream_lock(void)
{
	return stream.panic ? machine_irq_save() : spin_lock_irq(&stream.lock);
}

static void stream_unlock(unsigned long flags)
{
	if (stream.panic)
		machine_irq_restore(flags);
	else
		spin_unlock_irq(&stream.lock, flags);
}

/* Lock held. Taken off only when written: who is stopped half way repeats a piece, but loses none. */
static void write_piece(void)
{
	size_t n = min_u64(min_u64(stream.used, PIECE_BYTES), STREAM_BYTES - stream.head);

	machine_console_write(stream.text + stream.head, n);
	stream.head = (stream.head + n) % STREAM_BYTES;
	stream.used -= n;
}

/* Until all is written, or somebody holds the stream. */
static void stream_drain(void)
{
	bool more;

	do {
		unsigned long flags = stream_lock();

		if (stream.used && !stream.held)
			write_piece();
		more = stream.used && !stream.held;
		stream_unlock(flags);
	} while (more);
}

/* Lock held. When the memory is full some of it must be written, held or not. */
static void stream_put(const char *text, size_t bytes)
{
	while (bytes) {
		size_t tail = (stream.head + stream.used) % STREAM_BYTES;
		size_t n = min_u64(min_u64(bytes, STREAM_BYTES - stream.used), STREAM_BYTES - tail);

		memcpy(stream.text + tail, text, n);
		stream.used += n;
		text += n;
		bytes -= n;
		if (stream.used == STREAM_BYTES)
			write_piece();
	}
}

void say_bytes(const char *text, size_t bytes)
{
	unsigned long flags = stream_lock();

	stream_put(text, bytes);
	stream_unlock(flags);
	stream_drain();
}

static void stream_say(const char *fmt, va_list args)
{
	unsigned long flags = stream_lock();

	text_stream(stream_put, fmt, args);
	stream_unlock(flags);
	stream_drain();
}

void say(const char *fmt, ...)
{
	struct aside *a = stream.panic ? NULL : aside_current();
	va_list args;

	va_start(args, fmt);
	if (unlikely(a))
		aside_say(a, fmt, args);
	else
		stream_say(fmt, args);
	va_end(args);
}

void say_hold(void)
{
	unsigned long flags = stream_lock();

	stream.held++;
	stream_unlock(flags);
}

void say_release(void)
{
	unsigned long flags = stream_lock();

	stream.held--;
	stream_unlock(flags);
	stream_drain();
}

/* ---- the end ---- */

/* What was put last before what is still to be written; '\0': nothing ever was. */
static char last_written(void)
{
	return stream.text[(stream.head + STREAM_BYTES - 1) % STREAM_BYTES];
}

/* Back to the start of the line that is half written: it comes again, in whole. */
static void rewind_line(void)
{
	for (char c = last_written(); stream.used < STREAM_BYTES && c && c != '\n'; c = last_written()) {
		stream.head = (stream.head + STREAM_BYTES - 1) % STREAM_BYTES;
		stream.used++;
	}
}

/* Whoever held the lock has been stopped. What it was adding may be cut, the rest is intact. */
void say_panic(void)
{
	stream.panic = true;
	stream.held = 0;
	machine_console_write("\n", 1);
	if (stream.used)
		rewind_line();
	stream_drain();
	if (last_written() != '\n')
		stream_put("\n", 1);
}
