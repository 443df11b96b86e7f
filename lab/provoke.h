/* SPDX-License-Identifier: GPL-2.0-or-later
 * Breaking the machine on purpose. */
#ifndef LAB_PROVOKE_H
#define LAB_PROVOKE_H

/* Does what provoke= asks for; returns if that is nothing. */
void provoke(void);

#endif
