/* SPDX-License-Identifier: GPL-2.0-or-later
 * What the clients of tbench ask for: the table of its operations, and what is drawn from it.
 *
 * Expected numbers are those of workloads.md 4.2, of the load file of Debian's dbench 4. A miss means that tbench's messages are of
 * other sizes than its name promises. */
#include "tests/unit/running.h"

extern const struct workload tested_tbench;

#define tbench tested_tbench
#include "workloads/tbench.c"
#undef tbench

enum { REQUEST, REPLY };

/* A value drawn with that weight. */
struct weighted {
	u32 bytes;
	u64 weight;
};

static int by_bytes(const void *a, const void *b)
{
	const struct weighted *x = a, *y = b;

	return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static u64 weight_of(const struct weighted *v, unsigned n, u32 most_bytes)
{
	u64 sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += v[i].bytes <= most_bytes ? v[i].weight : 0;
	return sum;
}

/* The smallest that half of all are not above. */
static u32 median_of(struct weighted *v, unsigned n)
{
	u64 below = 0, all = weight_of(v, n, ~0u);
	unsigned i = 0;

	qsort(v, n, sizeof(*v), by_bytes);
	while (2 * (below += v[i].weight) < all)
		i++;
	return v[i].bytes;
}

static double mean_of(const struct weighted *v, unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += (double)v[i].bytes * (double)v[i].weight;
	return sum / (double)weight_of(v, n, ~0u);
}

static u32 longest_of(const struct weighted *v, unsigned n)
{
	u32 most = 0;

	for (unsigned i = 0; i < n; i++)
		most = (u32)max_u64(most, v[i].weight ? v[i].bytes : 0);
	return most;
}

/* All sizes of one direction of an operation, weighted by the table. */
static unsigned sizes_of(const struct op *op, bool reply, struct weighted *v)
{
	for (unsigned i = 0; i < MOST_SIZES; i++)
		v[i] = (struct weighted){ reply ? op->size[i].reply : op->size[i].request, op->share * op->size[i].sixteenths };
	return MOST_SIZES;
}

struct three {
	u32 median, mean, longest;
};

static void expect_three(const char *name, const struct op *op, bool reply, struct three expected)
{
	struct weighted v[MOST_SIZES];
	unsigned n = sizes_of(op, reply, v);
	u32 mean = (u32)(mean_of(v, n) + 0.5);

	if (median_of(v, n) != expected.median || mean != expected.mean || longest_of(v, n) != expected.longest)
		fail_msg("%s: median %u, mean %u, longest %u", name, median_of(v, n), mean, longest_of(v, n));
}

static const struct op *op_called(const char *name)
{
	for (unsigned i = 0; i < NR_OPS; i++)
		if (!strcmp(op_table[i].name, name))
			return &op_table[i];
	fail_msg("no operation is called %s", name);
	return NULL;
}

/* 4.2, the table; the share in 1/1000. Where it has one number, all are that. Lock and unlock are one row there. */
static const struct row {
	const char *name;
	u32 share;
	struct three request, reply;
} rows[] = {
	{ "ReadX", 271, { 59, 59, 59 }, { 4155, 11912, 61499 } },
	{ "NTCreateX", 173, { 156, 153, 162 }, { 87, 87, 87 } },
	{ "Qpathinfo", 157, { 137, 135, 155 }, { 71, 71, 71 } },
	{ "Close", 127, { 47, 47, 47 }, { 39, 39, 39 } },
	{ "WriteX", 86, { 4155, 25779, 65595 }, { 55, 55, 55 } },
	{ "Find", 61, { 117, 114, 125 }, { 39, 517, 2379 } },
	{ "Unlink", 35, { 125, 125, 125 }, { 39, 39, 39 } },
	{ "Qfsinfo", 29, { 59, 59, 59 }, { 71, 71, 71 } },
	{ "Qfileinfo", 27, { 59, 59, 59 }, { 71, 71, 71 } },
	{ "Sfileinfo", 14, { 71, 71, 71 }, { 47, 47, 47 } },
	{ "Flush", 12, { 41, 41, 41 }, { 39, 39, 39 } },
	{ "Rename", 7, { 209, 209, 209 }, { 39, 39, 39 } },
	{ "LockX", 1, { 51, 51, 51 }, { 39, 39, 39 } },
};

static void test_table(void **state)
{
	u32 shares = 0;

	(void)state;
	assert_int_equal(NR_OPS, ARRAY_SIZE(rows) + 1);
	for (unsigned i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct op *op = op_called(rows[i].name);
		u32 share = op->share + (i == ARRAY_SIZE(rows) - 1 ? op_called("UnlockX")->share : 0);

		assert_int_equal(share, 10 * rows[i].share);
		expect_three(rows[i].name, op, false, rows[i].request);
		expect_three(rows[i].name, op, true, rows[i].reply);
		shares += share;
	}
	assert_int_equal(shares, SHARES);
	expect_three("UnlockX", op_called("UnlockX"), false, rows[ARRAY_SIZE(rows) - 1].request);
	expect_three("UnlockX", op_called("UnlockX"), true, rows[ARRAY_SIZE(rows) - 1].reply);
}

/* What travels beyond 59 bytes in WriteX (59 + n -> 55) and ReadX (59 -> 59 + n). */
static u32 payload_by_name(const char *name, const struct size *s)
{
	if (!strcmp(name, "WriteX"))
		return s->request - 59;
	return strcmp(name, "ReadX") ? 0 : s->reply - 59;
}

/* 4.2: by what a request's size is made of, and the classes of each operation are all of it. */
static void test_sizes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NR_OPS; i++) {
		u32 sixteenths = 0;

		for (const struct size *s = op_table[i].size; s < op_table[i].size + MOST_SIZES && s->sixteenths; s++) {
			const char *name = op_table[i].name;

			sixteenths += s->sixteenths;
			assert_true(payload(&op_table[i], s) == payload_by_name(name, s));
			assert_true(s->request <= LONGEST && s->reply <= LONGEST);
			if (!strcmp(name, "NTCreateX"))
				assert_true(s->request >= 74 && (s->request - 74) % 2 == 0);
			if (!strcmp(name, "Qpathinfo"))
				assert_true(s->request >= 55 && (s->request - 55) % 2 == 0);
			if (!strcmp(name, "Find"))
				assert_true((s->request - 59) % 2 == 0 && (s->reply - 39) % 90 == 0);
		}
		assert_int_equal(sixteenths, CLASSES);
	}
}

static void expect_near(const char *what, double value, double expected, double tolerance)
{
	if (value < expected * (1 - tolerance) || value > expected * (1 + tolerance))
		fail_msg("%s: %f, expected %f within %f", what, value, expected, tolerance);
}

/* 4.2: a request's mean 2,309 and median 109, 93 % up to 256 bytes; a reply's 3,302 and 71, 71 % up to 128; 5,428 bytes of payload.
 * v: of all requests, of all replies. */
static void expect_mix(struct weighted *v[2], unsigned n, u64 payload_bytes, u64 requests, double tolerance)
{
	double all = (double)weight_of(v[REQUEST], n, ~0u);

	expect_near("request", mean_of(v[REQUEST], n), 2309, tolerance);
	expect_near("reply", mean_of(v[REPLY], n), 3302, tolerance);
	expect_near("payload", (double)payload_bytes / (double)requests, 5428, tolerance);
	assert_int_equal(median_of(v[REQUEST], n), 109);
	assert_int_equal(median_of(v[REPLY], n), 71);
	assert_in_range(1000 * (double)weight_of(v[REQUEST], n, 256) / all, 925, 935);
	assert_in_range(1000 * (double)weight_of(v[REPLY], n, 128) / all, 705, 715);
}

/* The table itself: rounding shares to 0.1 % moves a mean by up to 0.0005 * 25779 = 13 bytes for WriteX alone, 0.6 % of 2,309. */
static void test_table_as_a_whole(void **state)
{
	struct weighted sizes[2][NR_OPS * MOST_SIZES];
	struct weighted *v[2] = { sizes[0], sizes[1] };
	u64 bytes = 0;

	(void)state;
	for (unsigned op = 0; op < NR_OPS; op++) {
		sizes_of(&op_table[op], false, sizes[REQUEST] + op * MOST_SIZES);
		sizes_of(&op_table[op], true, sizes[REPLY] + op * MOST_SIZES);
		for (unsigned i = 0; i < MOST_SIZES && op_table[op].size[i].sixteenths; i++)
			bytes += (u64)op_table[op].share * op_table[op].size[i].sixteenths *
				 payload(&op_table[op], &op_table[op].size[i]);
	}
	expect_mix(v, NR_OPS * MOST_SIZES, bytes, SHARES * CLASSES, 0.006);
}

/* A million requests of one client. Of n drawn a share p is met within 4 * sqrt(p / n), which is 0.2 % of all for the largest; a
 * request's size has a standard deviation of some 10,900 bytes, so four of its mean's are 44 bytes, 1.9 % of 2,309; to which comes
 * what the table is off. */
static void test_drawn_mix(void **state)
{
	enum { DRAWN = 1000000 };
	static struct weighted sizes[2][DRAWN];
	struct weighted *v[2] = { sizes[0], sizes[1] };
	u64 bytes = 0, random, drawn[NR_OPS] = { 0 };

	(void)state;
	run_prepare(0, 1);
	random = run_seed(0);
	for (unsigned i = 0; i < DRAWN; i++) {
		unsigned op = draw_op(&random);
		const struct size *s = draw_size(&op_table[op], &random);

		drawn[op]++;
		sizes[REQUEST][i] = (struct weighted){ s->request, 1 };
		sizes[REPLY][i] = (struct weighted){ s->reply, 1 };
		bytes += payload(&op_table[op], s);
	}
	for (unsigned op = 0; op < NR_OPS; op++) {
		u64 expected = (u64)op_table[op].share * (DRAWN / SHARES);
		s64 off = (s64)drawn[op] - (s64)expected;

		if ((u64)(off * off) > 16 * expected)
			fail_msg("%s: %u of %u", op_table[op].name, (unsigned)drawn[op], (unsigned)expected);
	}
	expect_mix(v, DRAWN, bytes, DRAWN, 0.025);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		machine_test(test_table),
		machine_test(test_sizes),
		machine_test(test_table_as_a_whole),
		machine_test(test_drawn_mix),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
