/* Which model a scenario runs. */
#include "scenario/document/document.h"

#include <string.h>

#define SUBJECT(name, doc, also) &wi_subject_##name,
static const wi_subject *const subjects[] = {&wi_subject_network, WI_SUBJECTS(SUBJECT)};
#undef SUBJECT

const wi_subject *wi_subject_at(size_t i)
{
    return i < sizeof subjects / sizeof subjects[0] ? subjects[i] : NULL;
}

/* The network included; null: there is none of it. */
static const wi_subject *named(const char *name)
{
    for (size_t i = 0; i < sizeof subjects / sizeof subjects[0]; i++) {
        if (strcmp(subjects[i]->section.name, name) == 0)
            return subjects[i];
    }
    return NULL;
}

const wi_subject *wi_subject_of(const weir_scenario *scenario)
{
    return scenario->model.name ? named(scenario->model.name) : &wi_subject_network;
}

void wi_summary_tell(FILE *out, const json_t *summary)
{
    const char *const model = json_string_value(json_object_get(summary, "model"));
    const wi_subject *const subject = model ? named(model) : NULL;
    if (subject)
        wi_lines_print(out, subject->lines, subject->n_lines,
                       subject == &wi_subject_network ? summary : json_object_get(summary, model));
}
