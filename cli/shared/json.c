// Makes JSON values and prints them.

#include "json.h"

#include "text.h"
#include "toi/narrow_phase.h"

#include <string.h>

json_t *json_text(const char *words)
{
    json_t *string = json_string(words);
    if (string)
        return string;
    size_t size = strlen(words) + 1;
    char *copy = toi_allocate(size);
    if (!copy)
        return NULL;
    for (size_t i = 0; i < size; ++i)
        copy[i] = (unsigned char)words[i] < 128 ? words[i] : '?';
    string = json_string(copy);
    toi_release(copy);
    return string;
}

json_t *json_names(const char *(*name)(int index))
{
    json_t *names = json_array();
    for (int i = 0; name(i) && names; ++i)
        if (*name(i))
            json_array_append_new(names, json_string(name(i)));
    return names;
}

json_t *json_kinds(const int64_t counts[2])
{
    return json_pack("{s:I, s:I}", "vf", (json_int_t)counts[0], "ee", (json_int_t)counts[1]);
}

void add_kinds(json_t *object, const int64_t counts[TOI_KIND_COUNT])
{
    for (int kind = 0; kind < TOI_KIND_COUNT; ++kind)
        if (kind < TOI_PAIR_KINDS || counts[kind] > 0)
            json_object_set_new(object, toi_kind_name((toi_kind)kind), json_integer(counts[kind]));
}

json_t *json_all_kinds(const int64_t counts[TOI_KIND_COUNT])
{
    json_t *object = json_object();
    add_kinds(object, counts);
    return object;
}

json_t *json_hash(uint64_t hash)
{
    return json_string(hash_text(hash).at);
}

static toi_status print_with(json_t *object, size_t flags)
{
    if (!object)
        return toi_fail(TOI_ERROR_MEMORY, "no memory for the JSON object");
    json_dumpf(object, stdout, flags | JSON_ENSURE_ASCII);
    putchar('\n');
    json_decref(object);
    return TOI_OK;
}

toi_status print_json(json_t *object)
{
    return print_with(object, JSON_INDENT(2));
}

toi_status print_json_line(json_t *object)
{
    toi_status status = print_with(object, JSON_COMPACT);
    fflush(stdout); // for whoever reads along
    return status;
}
