/* SPDX-License-Identifier: GPL-2.0-or-later
 * The text stream: collected in memory, written to the machine's console when nobody is being measured. */
#include "base/spinlock.h"
#include "base/string.h"
#include "base/text.h"

enum { STREAM_BYTES = 64 * 1024 };

static struct {
	struct spinlock lock;
	unsigned held; /* lock */
	bool panic;
	size_t used; /* lock */
	char text[STREAM_BYTES];
} stream = { .lock = SPINLOCK_INIT(RANK_CONSOLE) };

static void stream_drain(void)
{
	machine_console_write(stream.text, stream.used);
	stream.used = 0;
}

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

/* Lock held. */
static void stream_put(const char *text, size_t bytes)
{
	while (bytes) {
		size_t room = STREAM_BYTES - stream.used, n = bytes < room ? bytes : room;

		memcpy(stream.text + stream.used, text, n);
		stream.used += n;
		text += n;
		bytes -= n;
		if (stream.used == STREAM_BYTES)
			stream_drain();
	}
}

static void stream_finish(unsigned long flags)
{
	if (!stream.held)
		stream_drain();
	stream_unlock(flags);
}

void say_bytes(const char *text, size_t bytes)
{
	unsigned long flags = stream_lock();

	stream_put(text, bytes);
	stream_finish(flags);
}

void say(const char *fmt, ...)
{
	unsigned long flags = stream_lock();
	va_list args;

	va_start(args, fmt);
	text_stream(stream_put, fmt, args);
	va_end(args);
	stream_finish(flags);
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

	if (!--stream.held)
		stream_drain();
	stream_unlock(flags);
}

/* Whoever held the lock has been stopped; the text it was adding may be cut, the rest is intact. */
void say_panic(void)
{
	stream.panic = true;
	stream.held = 0;
	machine_console_write("\n", 1);
	stream_drain();
}
