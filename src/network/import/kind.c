/* Tells what a file of a peer is by its first lines. */
#include "network/import/import.h"

enum { LINES = 64 };

/* Lists of flows and of traced nodes both begin with their number: the one has lines of six fields, the other a line of so many. */
static wi_import_kind counted(wi_source *source, double stated)
{
    wi_slice line, field[8];
    size_t lines = 0, first = 0;
    while (lines < 2 && wi_next_line(source, &line)) {
        const size_t n = wi_split(line, field, 8);
        if (n == 0)
            continue;
        first = lines == 0 ? n : first;
        lines++;
    }
    return first == 6 && !(lines == 1 && stated == 6) ? WI_IMPORT_FLOWS : WI_IMPORT_TRACE;
}

/* Of htsim both begin with `Nodes`. */
static wi_import_kind of_htsim(wi_source *source)
{
    wi_slice line, word;
    for (int i = 0; i < LINES && wi_next_line(source, &line); i++) {
        if (!wi_next_word(&line, &word))
            continue;
        if (wi_slice_is(word, "Connections"))
            return WI_IMPORT_HTSIM_FLOWS;
        if (wi_slice_is(word, "Tiers") || wi_slice_is(word, "Podsize"))
            return WI_IMPORT_HTSIM_TOPOLOGY;
    }
    return WI_IMPORT_KINDS;
}

wi_import_kind wi_import_kind_of(const wi_source *of)
{
    wi_source source = wi_source_memory(NULL, "", of->at, (size_t)(of->end - of->at));
    wi_slice line, field[4];
    for (int i = 0; i < LINES && wi_next_line(&source, &line); i++) {
        const size_t n = wi_split(line, field, 4);
        double number;
        wi_ns3_key key;
        if (n == 0 || field[0].text[0] == '#')
            continue;
        if (wi_slice_is(field[0], "Nodes") || wi_slice_is(field[0], "Tiers") ||
            wi_slice_is(field[0], "Podsize")) {
            wi_source again = wi_source_memory(NULL, "", of->at, (size_t)(of->end - of->at));
            return of_htsim(&again);
        }
        if (wi_slice_is(field[0], "Connections"))
            return WI_IMPORT_HTSIM_FLOWS;
        if (wi_ns3_key_of(field[0], &key))
            return WI_IMPORT_CONFIG;
        if (!wi_slice_number(field[0], &number))
            return WI_IMPORT_KINDS;
        return n == 3 ? WI_IMPORT_TOPOLOGY : n == 1 ? counted(&source, number) : WI_IMPORT_KINDS;
    }
    return WI_IMPORT_KINDS;
}
