/* SPDX-License-Identifier: GPL-2.0-or-later
 * Mann and Whitney's test: do values of one side tend to be larger than those of the other? */
#include "tools/fairlog/stat.h"

#include "tools/fairlog/allocate.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>
#include <string.h>

struct value {
	double value;
	bool of_a;
};

struct ranking {
	double u;    /* pairs in which a has the larger value, half of the equal ones */
	double ties; /* sum of t^3 - t over groups of t equal values */
};

static int compare_values(const void *left, const void *right)
{
	const struct value *a = left, *b = right;

	return (a->value > b->value) - (a->value < b->value);
}

static struct value *merge(const double *a, size_t na, const double *b, size_t nb)
{
	struct value *all = allocate(NULL, (na + nb) * sizeof *all);

	for (size_t i = 0; i < na; i++)
		all[i] = (struct value){ a[i], true };
	for (size_t i = 0; i < nb; i++)
		all[na + i] = (struct value){ b[i], false };
	qsort(all, na + nb, sizeof *all, compare_values);
	return all;
}

static struct ranking rank(const struct value *all, size_t n)
{
	struct ranking ranking = { 0, 0 };
	double below = 0; /* values of b below those that are looked at */
	size_t end;

	for (size_t i = 0; i < n; i = end) {
		double of_a = 0, count;

		for (end = i; end < n && all[end].value == all[i].value; end++)
			of_a += all[end].of_a;
		count = (double)(end - i);
		ranking.u += of_a * (below + (count - of_a) / 2);
		ranking.ties += pow(count, 3) - count;
		below += count - of_a;
	}
	return ranking;
}

/* In how many orderings of na and nb values each U from 0 to na * nb comes, relative to all; to be freed. A value of a that stands
 * above j values of b adds j to U, and as in choosing with repetition each of these j may come any number of times: ways[k][u] is
 * in how many ways k values of a come to u. */
static double *distribution(size_t na, size_t nb)
{
	size_t width = na * nb + 1;
	double *ways = allocate(NULL, (na + 1) * width * sizeof *ways),
	       orderings = gsl_sf_choose((unsigned)(na + nb), (unsigned)na);

	for (size_t i = 0; i < (na + 1) * width; i++)
		ways[i] = i == 0;
	for (size_t j = 0; j <= nb; j++)
		for (size_t k = 1; k <= na; k++)
			for (size_t u = j; u < width; u++)
				ways[k * width + u] += ways[(k - 1) * width + u - j];
	memmove(ways, ways + na * width, width * sizeof *ways);
	for (size_t u = 0; u < width; u++)
		ways[u] /= orderings;
	return ways;
}

static double exact_p(double u, size_t na, size_t nb)
{
	double *part = distribution(na, nb), smaller = fmin(u, (double)(na * nb) - u), p = 0;

	for (size_t i = 0; i <= (size_t)smaller; i++)
		p += part[i];
	free(part);
	return fmin(1, 2 * p);
}

static double normal_p(const struct ranking *ranking, double na, double nb)
{
	double n = na + nb;
	double sigma = sqrt(na * nb / 12 * (n + 1 - ranking->ties / (n * (n - 1))));
	double distance = fabs(ranking->u - na * nb / 2);

	return sigma > 0 ? fmin(1, 2 * gsl_cdf_ugaussian_Q(fmax(0, distance - 0.5) / sigma)) : NAN;
}

static double smallest_p(size_t na, size_t nb)
{
	return fmin(1, 2 * exp(-gsl_sf_lnchoose((unsigned)(na + nb), (unsigned)na)));
}

double stat_rank_test(const double *a, size_t na, const double *b, size_t nb)
{
	struct value *all;
	struct ranking ranking;
	double p;

	if (na == 0 || nb == 0)
		return NAN;
	all = merge(a, na, b, nb);
	ranking = rank(all, na + nb);
	free(all);
	if (ranking.ties == 0 && na <= RANK_EXACT && nb <= RANK_EXACT)
		return exact_p(ranking.u, na, nb);
	p = normal_p(&ranking, (double)na, (double)nb);
	return isnan(p) ? p : fmax(p, smallest_p(na, nb));
}
