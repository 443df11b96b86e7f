/* SPDX-License-Identifier: GPL-2.0-or-later
 * The check of a record against base/record.def, and access to its fields. Types, fields and format number are the writer's own. */
#ifndef FAIRLOG_SCHEMA_H
#define FAIRLOG_SCHEMA_H

#include "base/record.h"

#include <jansson.h>

typedef void complain_fn(void *context, const char *complaint);

/* The type of a record, or NR_RECORDS if it does not name one of the list. */
enum record_type record_type(const json_t *record);
const char *record_type_name(enum record_type type);
/* What the list says of a field. */
const char *record_meaning(enum record_field field);

/* Compares a record with the list. Says each deviation in words; returns how many there are. */
int record_check(const json_t *record, complain_fn *complain, void *context);

/* Fields of a record that record_check found right. */
const json_t *record_get(const json_t *record, enum record_field field);
uint64_t record_get_uint(const json_t *record, enum record_field field);
const char *record_get_string(const json_t *record, enum record_field field);

#endif
