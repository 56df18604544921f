// When the two primitives of a query touch, in exact arithmetic.

#ifndef TOI_EXACT_CONTACT_H
#define TOI_EXACT_CONTACT_H

#include "exact/moment.h"
#include "exact/trajectory.h"

enum
{
    // Every contact begins at 0 or at a contact of a point with an edge (contact.c); four such
    // pairs have at most two each.
    TOI_MOST_CONTACTS = 9
};

// A longest interval of time in contact. Of one instant `to` is not set.
typedef struct toi_contact
{
    bool is_instant;
    toi_moment from;
    toi_moment to;
} toi_contact;

// What bounds the search for the first contact.
typedef struct toi_contact_search
{
    double latest; // contacts with a later floor do not matter
    double guess;  // where it may be, or NaN
} toi_contact_search;

// Finds the first contact in [0, 1] and its floor. False if there is none that matters.
bool toi_find_first_contact(toi_arena *arena, const toi_trajectory *trajectory,
                            const toi_contact_search *search, toi_moment *first);

// Finds all contacts in [0, 1], in order, and the floors of their ends. Returns how many.
int toi_find_all_contacts(toi_arena *arena, const toi_trajectory *trajectory,
                          toi_contact contacts[TOI_MOST_CONTACTS]);

#endif
