/*
 * The schema of scenario files: tables of keys that drive checking, defaults, the resolved scenario, the
 * documentation and the JSON Schema.
 *
 * A wi_key says how one key is called, what kind of value it takes, where the value goes in the struct of its section and
 * what it means. A wi_kind knows how values of its kind are read from a YAML node, written back and
 * described; kinds are constant tables, so a new one is a new file. A wi_section is a table of keys, with a
 * check of what its keys mean together. To add a key, add its line to a table of src/keys and a field to
 * weir/scenario.h; those of a model stand in its subject.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include <jansson.h>

#include "base/memory.h"
#include "schema/yaml.h"
#include "weir/names.h"

typedef struct wi_key wi_key;
typedef struct wi_kind wi_kind;
typedef struct wi_section wi_section;
typedef struct wi_reader wi_reader;
typedef struct wi_items wi_items;

/* A word that a key takes. */
typedef struct wi_word {
    const char *word;
    int value;
    const char *doc; /* may be null */
    bool needs_cuda; /* refused by a build without CUDA */
} wi_word;

typedef struct wi_words {
    const wi_word *item;
    size_t n;
} wi_words;

/* One form of a tagged value: a bare word (key.kind null) or {name: argument}. */
typedef struct wi_form wi_form;

/* A value that comes in several forms, of which one is used: `all`, `{random: 40}`, a list. */
typedef struct wi_tagged {
    const wi_form *forms;
    size_t n;
    const wi_key *other; /* how to read what is none of the forms; null: it is an error */
    int other_tag;
    unsigned other_types; /* node types that `other` takes: 1 << WI_SCALAR and so on */
    const char *wants;    /* for messages and documentation: "all, none, or a list of ports" */
    size_t tag_offset;    /* of an int or an enum, which holds the tag of a value */
    bool spread; /* no tag: the form is a range of what `other` reads, and a single value one without width */
} wi_tagged;

struct wi_key {
    const char *name;
    const wi_kind *kind;
    size_t offset;        /* of the value in the section's struct */
    size_t place_offset;  /* of a weir_place for it; 0: none */
    const char *fallback; /* the default, written as in a file; null: none, or `required` */
    const char *unset;    /* for the documentation: what it means that an optional key is not there */
    const char *doc;
    const char *also; /* words that people try for this, blanks between; only for "did you mean" */
    bool required;
    const char *unless; /* required, unless the section has the key of this name; null: in any case */
    bool always;        /* a section whose defaults are filled in where it is not given */
    double absent;      /* scalars: what stands for "not given" where there is no fallback */
    const char *word;   /* scalars: a word taken besides, such as auto ... */
    double word_value;  /* ... and what it stands for */
    const char *low, *above, *high,
        *below; /* scalars: range, inclusive and exclusive, written as in a file */
    /* for kinds that need them */
    const wi_section *section;
    const wi_words *words;
    const wi_tagged *tagged;
    const wi_kind *of;   /* a range's ends */
    size_t count_offset; /* of a size_t: a list's length */
    /* a condition without which the key means nothing: an error where it is given, and not written; null:
     * none */
    const char *with;
    bool pattern; /* a file's name may hold `*` and `?` in its last part: files that its reader finds */
};

struct wi_form {
    int tag;
    const char *doc;
    wi_key key;
};

/*
 * What does not go together in a section, and why, in words that can follow those of the keys. A condition is terms with blanks
 * between them, all of which hold:
 *   trace, tcp.size, a|b          the key is given; one below a section; one of several
 *   pattern=onoff|poisson         it is one of these words, given or by default
 *   !trace, fidelity!=packet      the contrary
 *   traffic[]{fidelity!=packet}   the condition holds of an item of a list
 * A text whose second condition begins with `!` says what the first needs.
 */
typedef struct wi_clash {
    const char *these, *those;
    const char *why;
    bool version; /* this version lacks it: WEIR_E_UNSUPPORTED, and `why` says what to do instead */
} wi_clash;

/* Keys of a section that depend on the word of another: those of the variant picked, which fill a struct of their
 * own inside the section's. What a section inherits goes where another variant is picked. */
typedef struct wi_variants {
    const wi_section *const *item; /* [n], by the number that is picked */
    size_t n;
    size_t number_offset; /* of an int, an enum or a uint32_t, which holds the number picked */
    size_t offset, room;  /* of the variant's struct */
    const char *key;      /* which picks, "type" */
    const char *what;     /* "a %s queue" in messages is "a NAME queue" */
} wi_variants;

struct wi_section {
    const char *name; /* for messages: "unknown key 'x' in NAME" */
    const char *doc;  /* opens its part of the documentation; may be null */
    const wi_key *keys;
    size_t n_keys;
    const wi_variants *variants; /* null: none */
    const wi_section *mixin;     /* its keys are taken besides, at mixin_offset; null: none */
    size_t mixin_offset;
    bool one;            /* exactly one of the keys is given */
    bool inherits;       /* the mixin's values are set by init, so its defaults are not used */
    size_t size;         /* of the struct: items of lists */
    size_t place_offset; /* of a weir_place for the section; 0: none */
    void (*init)(void *at, const void *parent);                 /* before the keys; may be null */
    void (*check)(wi_reader *r, const wi_node *node, void *at); /* after, if all keys are good; may be null */
    bool (*hides)(const wi_key *key,
                  const void *at); /* keys that mean nothing beside the others; may be null */
    const wi_clash *clashes;       /* [n_clashes] what does not go together */
    size_t n_clashes;
    /* for the JSON Schema: a list of schemas that must hold too, ' for "; what check refuses by the keys
     * that are there. May be null */
    const char *rules;
};

struct wi_reader {
    weir_diag *diag;
    weir_arena *arena;      /* the scenario's */
    const char *file;       /* for messages that have no better place */
    const char *base_dir;   /* null: leave file names alone */
    const wi_section *top;  /* the first section read, for keys that stand elsewhere */
    size_t errors, refused; /* refused: how many of the errors are only of what this version or build lacks */
    bool no_memory;
};

typedef struct wi_writer {
    FILE *out;
    int depth;          /* of indentation */
    bool flow;          /* inside { } or [ ] */
    bool after_dash;    /* the next key follows "-" in its line */
    const char *folder; /* where the text will lie: files are named relative to it; null: as they are */
} wi_writer;

/* How a scalar is stored. */
typedef enum wi_storage { WI_NOT_SCALAR = 0, WI_I64, WI_U64, WI_U32, WI_F64 } wi_storage;

/* Values that are numbers in JSON, without quotes and units. */
typedef enum wi_bare { WI_NOT_BARE = 0, WI_BARE_WHOLE, WI_BARE_SHARE, WI_BARE_REAL } wi_bare;

struct wi_kind {
    const char *what;    /* "time" */
    const char *example; /* "5ms"; may be null */
    bool block;          /* in block style its value starts a line of its own */
    bool is_section;     /* of keys with defaults of their own */
    void (*read)(wi_reader *r, const wi_key *key, const wi_node *node, void *at);
    void (*write)(wi_writer *w, const wi_key *key, const void *at);
    bool (*given)(const wi_key *key, const void *at); /* is there something to write; null: always */
    json_t *(*json)(const wi_key *key, json_t *defs); /* null: `schema` */
    const char *schema;    /* what a JSON Schema says of every value of the kind, ' for " */
    const wi_items *items; /* lists of texts: of what */
    /* scalars only; long double holds all of int64_t and uint64_t on the machines weir is for */
    wi_storage storage;
    bool (*parse)(const char *text, long double *out, char *why, size_t why_size);
    void (*format)(long double value, char *out); /* out: WI_SCALAR_TEXT bytes */
    const char *pattern;                          /* for the JSON Schema: of texts */
    wi_bare bare;                                 /* likewise */
};

enum { WI_SCALAR_TEXT = 64 };

/* Scalars; _32 and _real say how the value is stored. */
extern const wi_kind wi_kind_time, wi_kind_rate, wi_kind_size, wi_kind_size32, wi_kind_size_real,
    wi_kind_share, wi_kind_event_rate, wi_kind_count, wi_kind_count64, wi_kind_number;
extern const wi_kind wi_kind_bool, wi_kind_word, wi_kind_text, wi_kind_path, wi_kind_version;
/* Lists of scalars: weir_names (one or several), weir_link_names, weir_name_pair[], and [low, high]. */
extern const wi_kind wi_kind_names, wi_kind_links, wi_kind_interfaces, wi_kind_pair_list, wi_kind_range;
/* Priorities from 0 to 7, one or several, as bits of a uint32_t. */
extern const wi_kind wi_kind_priorities;
extern const wi_kind wi_kind_tagged, wi_kind_section, wi_kind_list;

/* Lists whose length stands at a key's count_offset. */
void wi_list_store(const wi_key *key, void *at, const void *items, size_t n);
size_t wi_list_count(const wi_key *key, const void *at);
bool wi_list_given(const wi_key *key, const void *at);

/* A key of a table: its kind, where its value stands in the struct `type`, and the rest by name, the default first. */
#define WI_KEY(name_, kind_, type, field, ...)                                                  \
    {                                                                                           \
        .name = (name_), .kind = &wi_kind_##kind_, .offset = offsetof(type, field), __VA_ARGS__ \
    }
/* The words that a key takes: a table of wi_word. */
#define WI_WORDS(table)                           \
    .words = &(const wi_words)                    \
    {                                             \
        table, sizeof(table) / sizeof((table)[0]) \
    }
/* A key whose value is a section of keys that fill the same struct. */
#define WI_PART(name_, section_, ...)                                                  \
    {                                                                                  \
        .name = (name_), .kind = &wi_kind_section, .section = &(section_), __VA_ARGS__ \
    }
/* The section of a table of keys, which fill a struct `type`; the rest by name. */
#define WI_SECTION(name_, table, type, ...)                                             \
    {                                                                                   \
        .name = (name_), .keys = (table), .n_keys = sizeof(table) / sizeof((table)[0]), \
        .size = sizeof(type), __VA_ARGS__                                               \
    }

/* A key of a section, its mixin's and their variants' included. */
typedef struct wi_key_at {
    const wi_key *key;
    const wi_section *section; /* whose it is */
    size_t base;               /* of the struct that `section` describes */
    const wi_section *of;      /* the section that `section` is a variant of, at of_base; null: of none */
    size_t of_base, variant;
    bool mixin; /* the mixin's, or a variant of it */
} wi_key_at;
/* Key `i` of a section: its own, its variants', its mixin's and their variants'; false past the end. */
bool wi_section_key(const wi_section *section, size_t i, wi_key_at *out);
/* The number of the variant that the struct at `at` has picked. */
int wi_variant_of(const wi_variants *variants, const void *at);
/* Does the key count in the struct at `at`: is its variant the one picked? */
bool wi_key_picked(const wi_key_at *k, const void *at);

/* Read a mapping into the struct at `at`. A null node fills in defaults only. */
void wi_read_section(wi_reader *r, const wi_section *section, const wi_node *node, void *at,
                     const void *parent);
/* Read one value, its range and place included. */
void wi_read_value(wi_reader *r, const wi_key *key, const wi_node *node, void *section_at);
void wi_complain(wi_reader *r, weir_place place, const char *fmt, ...) WEIR_PRINTF(3, 4);
/* The key must be a scalar that is not null; says so otherwise. */
bool wi_want_scalar(wi_reader *r, const wi_key *key, const wi_node *node);
/* Memory of the scenario; null sets r->no_memory. */
void *wi_reader_take(wi_reader *r, size_t n, size_t item_size);
/* idle.c. Is a value of the section what it is by default? */
bool wi_is_fallback(const wi_section *section, const wi_node *value);
/* Key `name` of `mapping`, where it is given and not what it would be anyhow; else null. `mapping` may be null. */
const wi_node *wi_given(const wi_section *section, const wi_node *mapping, const char *name);
/* Warn that a key changes nothing; `value` null: nothing to say. */
void wi_warn_idle(wi_reader *r, const wi_node *value, const char *why);
/* together.c: hold what is given of a section against its keys' `with` and its clashes; say them in JSON Schema and as
 * rows of a table. */
void wi_check_together(wi_reader *r, const wi_section *section, const wi_node *node);
void wi_json_together(json_t *rules, const wi_section *section);
void wi_markdown_together(FILE *out, const wi_section *section);
/* in_force.c: is there something to write of a key of the section at `at`? */
bool wi_key_given(const wi_section *section, const wi_key *key, const void *at);
/* condition.c: conditions, term by term. */
enum { WI_KEY_NAME_MAX = 64 }; /* of a key, with its path */

typedef struct wi_term {
    bool negated;             /* "!a" or "a!=b" */
    const char *path, *words; /* words: behind the sign, null where it asks whether the key is given */
    size_t path_size, words_size;
    const char *items; /* of "list[]{...}": what holds of one of them, and is all of the term */
    size_t items_size;
} wi_term;

/* Takes the next term off a condition; false: there is none. */
bool wi_next_term(const char **at, const char *end, wi_term *out);
/* The next of several names with `mark` between them, in WI_KEY_NAME_MAX bytes; false: there is none. */
bool wi_next_name(const char **at, const char *end, char mark, char *out);
/* Is a value of the key one of the term's words? Null is none. */
bool wi_is_one_of(const wi_key *key, const char *text, const wi_term *t);
/* An error of what this version lacks. */
void wi_refuse(wi_reader *r, weir_place place, const char *fmt, ...) WEIR_PRINTF(3, 4);
/* Report a word that is none of those known, with the nearest. */
void wi_unknown_word(wi_reader *r, const wi_key *key, const wi_node *node, const char *wants,
                     const char *const *known, size_t n);
/* "a time", "an event rate". */
const char *wi_article(const char *noun);
/* Does this build refuse the word, and complain of it. */
bool wi_word_refused(const wi_word *word);
void wi_refuse_word(wi_reader *r, const wi_key *key, const wi_word *word, weir_place place);
/* Place of a key in a mapping, or of the mapping where it has no such key. */
weir_place wi_place_of(const wi_node *mapping, const char *key);

long double wi_scalar_load(wi_storage storage, const void *at);
void wi_scalar_store(wi_storage storage, void *at, long double value);

void wi_write_section(wi_writer *w, const wi_section *section, const void *at);
/* A table of keys for each section below `top`, in Markdown. */
void wi_markdown_sections(FILE *out, const wi_section *top);
/* A text as a YAML scalar, quoted where it must be. */
void wi_write_text(wi_writer *w, const char *text);

/* What a JSON Schema says of a section itself; definitions that it needs go to `defs`. */
json_t *wi_json_body(const wi_section *section, json_t *defs);
json_t *wi_json_section(const wi_section *section, json_t *defs);
/* Of values of a key, without its doc and default; with them. */
json_t *wi_json_kind(const wi_key *key, json_t *defs);
json_t *wi_json_value(const wi_key *key, json_t *defs);
json_t *wi_json_scalar(const wi_key *key, json_t *defs);
/* One text that is not empty: a name or file. Names such as 12 or true need no quotes. */
#define WI_JSON_ANY_TEXT "{'type': ['string', 'number', 'boolean'], 'minLength': 1}"
