/* SPDX-License-Identifier: GPL-2.0-or-later
 * What an experiment of this size would have seen. */
#include "tools/fairlog/stat.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* Quantiles of the level and of the power: an effect of so many standard errors is over the first one in four cases of five. */
static double quantiles(double df)
{
	if (isinf(df))
		return gsl_cdf_ugaussian_Pinv(0.975) + gsl_cdf_ugaussian_Pinv(0.80);
	return gsl_cdf_tdist_Pinv(0.975, df) + gsl_cdf_tdist_Pinv(0.80, df);
}

double stat_detectable(double error, double df)
{
	return quantiles(df) * error;
}

double stat_needed(size_t n, double error, double effect)
{
	return ceil((double)n * pow(stat_detectable(error, INFINITY) / effect, 2));
}
