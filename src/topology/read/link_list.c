/* Merging of listed links, and whole weights from fractions. */
#include "topology/read/link_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "weir/units.h"

wi_listed wi_listed_init(uint32_t a, uint32_t b)
{
    return (wi_listed){
        .a = a, .b = b, .delay_ps = -1, .delay_back_ps = -1, .weight = NAN, .weight_back = NAN};
}

void wi_link_list_free(wi_link_list *list)
{
    free(list->item);
    free(list->slot);
    free(list->of_id);
    wi_names_free(&list->ids);
    *list = (wi_link_list){0};
}

static uint64_t pair_key(const wi_listed *l)
{
    return l->a < l->b ? (uint64_t)l->a << 32 | l->b : (uint64_t)l->b << 32 | l->a;
}

static size_t locate(const wi_link_list *list, uint64_t key)
{
    uint64_t h = key * UINT64_C(0x9e3779b97f4a7c15);
    h ^= h >> 32;
    size_t s = (size_t)h & (list->n_slots - 1);
    while (list->slot[s] != 0 && pair_key(&list->item[list->slot[s] - 1]) != key)
        s = (s + 1) & (list->n_slots - 1);
    return s;
}

static bool reserve_slots(wi_link_list *list)
{
    if (list->n_slots > 2 * list->n_pairs)
        return true;
    wi_link_list grown = *list;
    grown.n_slots = list->n_slots ? 2 * list->n_slots : 128;
    grown.slot = calloc(grown.n_slots, sizeof *grown.slot);
    if (!grown.slot)
        return false;
    for (size_t s = 0; s < list->n_slots; s++)
        if (list->slot[s] != 0)
            grown.slot[locate(&grown, pair_key(&list->item[list->slot[s] - 1]))] = list->slot[s];
    free(list->slot);
    *list = grown;
    return true;
}

static bool append(wi_link_list *list, wi_listed link)
{
    if (list->n == list->capacity) {
        const size_t capacity = list->capacity ? 2 * list->capacity : 64;
        wi_listed *item = realloc(list->item, capacity * sizeof *item);
        if (!item)
            return false;
        list->item = item;
        list->capacity = capacity;
    }
    list->item[list->n++] = link;
    return true;
}

/* Value of one direction: the first one given stays. True: another one was there. */
static bool settle_weight(double *have, double given)
{
    if (isnan(*have)) {
        *have = given;
        return false;
    }
    return !isnan(given) && given != *have;
}

static bool settle_rate(uint64_t *have, uint64_t given)
{
    if (*have == 0) {
        *have = given;
        return false;
    }
    return given != 0 && given != *have;
}

static bool settle_delay(weir_time *have, weir_time given)
{
    if (*have < 0) {
        *have = given;
        return false;
    }
    return given >= 0 && given != *have;
}

static bool merge_into(wi_listed *have, const wi_listed *given)
{
    const bool same_way = have->a == given->a;
    bool conflict = settle_delay(same_way ? &have->delay_ps : &have->delay_back_ps, given->delay_ps);
    conflict |= settle_weight(same_way ? &have->weight : &have->weight_back, given->weight);
    conflict |= settle_rate(same_way ? &have->rate_bps : &have->rate_back_bps, given->rate_bps);
    *(same_way ? &have->zero_rate : &have->zero_back) |= given->zero_rate;
    return conflict;
}

/* Number of the pair's first entry; none (SIZE_MAX): there was none, and this one was added. Sets *failed
 * when memory is short. */
static size_t first_of_pair(wi_link_list *list, wi_listed link, bool *failed)
{
    *failed = true;
    if (!reserve_slots(list))
        return SIZE_MAX;
    const size_t s = locate(list, pair_key(&link));
    if (list->slot[s] != 0) {
        *failed = false;
        return list->slot[s] - 1;
    }
    if (!append(list, link))
        return SIZE_MAX;
    list->slot[s] = list->n;
    list->n_pairs++;
    *failed = false;
    return SIZE_MAX;
}

static bool add_merged(wi_link_list *list, wi_listed link)
{
    bool failed;
    const size_t first = first_of_pair(list, link, &failed);
    if (first != SIZE_MAX) {
        list->again++;
        list->conflicts += merge_into(&list->item[first], &link);
    }
    return !failed;
}

/* Those of a pair that wait for a partner all lead the same way: a queue, whose ends the pair's first entry
 * keeps. */
static bool add_directed(wi_link_list *list, wi_listed link)
{
    bool failed;
    const uint32_t number = (uint32_t)list->n + 1;
    link.one_way = true;
    link.head = link.tail = number;
    link.rate_back_bps = 0;
    link.delay_back_ps = -1;
    link.weight_back = NAN;
    link.zero_back = false;
    const size_t at = first_of_pair(list, link, &failed);
    if (at == SIZE_MAX)
        return !failed;
    const uint32_t head = list->item[at].head;
    if (head != 0 && list->item[head - 1].a != link.a) {
        merge_into(&list->item[head - 1], &link);
        list->item[head - 1].one_way = false;
        list->item[at].head = list->item[head - 1].next;
        list->paired++;
        return true;
    }
    link.head = link.tail = 0;
    if (!append(list, link))
        return false;
    wi_listed *const first = &list->item[at];
    if (first->head)
        list->item[first->tail - 1].next = number;
    else
        first->head = number;
    first->tail = number;
    return true;
}

bool wi_link_list_add(wi_link_list *list, wi_listed link, wi_listing listing)
{
    if (listing == WI_LIST_OWN || link.a == link.b)
        return append(list, link);
    return listing == WI_LIST_MERGE ? add_merged(list, link) : add_directed(list, link);
}

bool wi_link_list_add_of(wi_link_list *list, wi_listed link, wi_slice id)
{
    link.one_way = true;
    const uint32_t number = wi_names_intern(&list->ids, id.text, id.length);
    if (number == WI_NO_NAME)
        return false;
    if (number >= list->of_id_capacity) {
        const size_t capacity = list->of_id_capacity ? 2 * list->of_id_capacity : 64;
        uint32_t *grown = realloc(list->of_id, capacity * sizeof *grown);
        if (!grown)
            return false;
        memset(grown + list->of_id_capacity, 0, (capacity - list->of_id_capacity) * sizeof *grown);
        list->of_id = grown;
        list->of_id_capacity = capacity;
    }
    wi_listed *const partner = list->of_id[number] ? &list->item[list->of_id[number] - 1] : NULL;
    if (partner && partner->one_way && partner->a == link.b && partner->b == link.a) {
        merge_into(partner, &link);
        partner->one_way = false;
        list->paired++;
        return true;
    }
    list->of_id[number] = (uint32_t)list->n + 1;
    return append(list, link);
}

uint64_t wi_link_list_one_way(const wi_link_list *list)
{
    uint64_t n = 0;
    for (size_t i = 0; i < list->n; i++)
        n += list->item[i].one_way;
    return n;
}

static bool whole(double weight, uint32_t scale)
{
    const double scaled = weight * scale;
    return isnan(weight) || fabs(scaled - nearbyint(scaled)) < 1e-6;
}

/* The least scale of the list that makes all weights whole, or the last. */
static uint32_t scale_of(const wi_link_list *list)
{
    static const uint32_t scales[] = {1, 2, 4, 5, 8, 10, 20, 100, 1000};
    const size_t last = sizeof scales / sizeof *scales - 1;
    size_t k = 0;
    for (size_t i = 0; i < list->n && k < last; i++)
        if (!whole(list->item[i].weight, scales[k]) || !whole(list->item[i].weight_back, scales[k])) {
            k++;
            i = (size_t)-1; /* what was whole under the last scale need not be under this one */
        }
    return scales[k];
}

static weir_status report(weir_diag *diag, const wi_link_list *list, const wi_source *source)
{
    if (list->again > 0)
        weir_note(diag,
                  "%s: %llu entries name a pair of nodes that was named before, as lists of both directions "
                  "do; each "
                  "pair is one link",
                  source->name, (unsigned long long)list->again);
    if (list->conflicts > 0)
        weir_warn(diag,
                  "%s: %llu entries contradict an earlier one about the same pair; the first one was taken",
                  source->name, (unsigned long long)list->conflicts);
    return WEIR_OK;
}

typedef struct scaling {
    uint32_t scale;
    uint64_t zeros;
    bool too_large;
} scaling;

static uint32_t scaled(double weight, scaling *s)
{
    if (isnan(weight))
        return 0;
    const double value = nearbyint(weight * s->scale);
    s->too_large |= value > WI_WEIGHT_MAX;
    s->zeros += value < 1;
    return value < 1 ? 1 : value > WI_WEIGHT_MAX ? 1 : (uint32_t)value;
}

/* A rate of 0 is none: in a file of rates the least of them, lest that link be the fastest by a default. */
static uint64_t least_rate(const wi_link_list *list, uint64_t *zeros)
{
    uint64_t least = 0;
    *zeros = 0;
    for (size_t i = 0; i < list->n; i++) {
        const wi_listed *l = &list->item[i];
        if (l->rate_bps > 0 && (least == 0 || l->rate_bps < least))
            least = l->rate_bps;
        if (l->rate_back_bps > 0 && (least == 0 || l->rate_back_bps < least))
            least = l->rate_back_bps;
        *zeros += (l->zero_rate && l->rate_bps == 0) || (l->zero_back && l->rate_back_bps == 0);
    }
    return least;
}

static void report_zeros(weir_diag *diag, const wi_source *source, uint64_t zeros, uint64_t least)
{
    char rate[WEIR_UNITS_TEXT];
    if (zeros > 0 && least > 0)
        weir_warn(diag,
                  "%s: %llu links have a rate of 0 where others have one; the least of those, %s, is assumed",
                  source->name, (unsigned long long)zeros, weir_format_rate(least, rate));
    else if (zeros > 0)
        weir_warn(diag, "%s: all rates are 0 (%llu links) and count as not given", source->name,
                  (unsigned long long)zeros);
}

static weir_link link_of(const wi_listed *l, uint64_t least, scaling *s)
{
    weir_link link = weir_link_init(l->a, l->b);
    link.rate_bps = l->rate_bps == 0 && l->zero_rate ? least : l->rate_bps;
    link.rate_back_bps = l->rate_back_bps == 0 && l->zero_back ? least : l->rate_back_bps;
    link.delay_ps = l->delay_ps;
    link.delay_back_ps = l->delay_back_ps;
    link.one_way = l->one_way;
    link.weight = scaled(l->weight, s);
    link.weight_back = scaled(l->weight_back, s);
    /* What one direction says holds for the other that says nothing. */
    if (link.rate_bps == 0)
        link.rate_bps = link.rate_back_bps;
    if (link.delay_ps < 0)
        link.delay_ps = link.delay_back_ps;
    if (link.weight == 0)
        link.weight = link.weight_back;
    return link;
}

weir_status wi_link_list_finish(weir_diag *diag, const wi_link_list *list, const wi_source *source,
                                const weir_topology_options *options, weir_graph_builder *builder)
{
    scaling s = {options->weight_scale ? options->weight_scale : scale_of(list), 0, false};
    uint64_t zeros;
    const uint64_t least = least_rate(list, &zeros), one_way = wi_link_list_one_way(list);
    for (size_t i = 0; i < list->n; i++)
        weir_graph_add_link(builder, link_of(&list->item[i], least, &s));
    if (s.too_large)
        return weir_fail_at(diag, WEIR_E_FORMAT, source->name, 0, 0,
                            "the largest weight times %u is above 2^24; choose a smaller weight scale",
                            s.scale);
    if (s.scale != 1)
        weir_note(diag, "%s: weights are multiplied by %u to make them whole", source->name, s.scale);
    if (s.zeros > 0)
        weir_warn(diag, "%s: %llu weights are 0 and are taken as the least, 1", source->name,
                  (unsigned long long)s.zeros);
    if (one_way > 0)
        weir_note(diag, "%s: %llu links lead one way only", source->name, (unsigned long long)one_way);
    report_zeros(diag, source, zeros, least);
    return builder->failed == WEIR_OK ? report(diag, list, source)
                                      : wi_builder_failed(diag, source, 0, builder);
}
