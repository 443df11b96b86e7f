/* SPDX-License-Identifier: GPL-2.0-or-later
 * A ring of lines. */
#include "base/results.h"

#include "arch/machine.h"
#include "base/mem.h"
#include "base/string.h"
#include "base/text.h"

static struct {
	char *text;
	u64 size;
	u64 first, end; /* of the lines there are, in bytes ever written */
	u64 dropped;	/* lines */
} ring;

void results_init(void)
{
	ring.size = min_u64(RESULTS_MOST_BYTES, mem_free_bytes() / RESULTS_SHARE);
	ring.text = mem_alloc_forever(ring.size);
	if (!ring.text)
		ring.size = 0;
}

static void drop_first(void)
{
	while (ring.text[ring.first++ % ring.size] != '\n')
		;
	ring.dropped++;
}

void results_note(const char *line, size_t bytes)
{
	if (bytes > ring.size) {
		ring.dropped++;
		return;
	}
	while (ring.end + bytes - ring.first > ring.size)
		drop_first();
	while (bytes) {
		size_t at = ring.end % ring.size, n = min_u64(bytes, ring.size - at);

		memcpy(ring.text + at, line, n);
		ring.end += n;
		line += n;
		bytes -= n;
	}
}

void results_replay(void)
{
	machine_console_repeats(true);
	say("== Records of this boot once more; %llu older ones are gone\n", (unsigned long long)ring.dropped);
	for (u64 at = ring.first, n; at < ring.end; at += n) {
		n = min_u64(ring.end - at, ring.size - at % ring.size);
		say_bytes(ring.text + at % ring.size, n);
	}
	machine_console_repeats(false);
}
