/* Merging of listed links, and whole weights from fractions. */
#include "topology/read/link_list.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory.h"
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
    if (!wi_grow(&list->item, &list->capacity, list->n + 1, sizeof *list->item))
        return false;
    list->item[list->n++] = link;
    return true;
}

/* Take what an entry gives for one direction where nothing was: the first value stays. True: another one was
 * there. */
#define SETTLE(have, given, is_none) \
    (is_none(have) ? ((have) = (given), false) : !is_none(given) && (given) != (have))
#define IS_NEGATIVE(value) ((value) < 0)
#define IS_ZERO(value) ((value) == 0)

static bool merge_into(wi_listed *have, const wi_listed *given)
{
    const bool same_way = have->a == given->a;
    *(same_way ? &have->zero_rate : &have->zero_back) |= given->zero_rate;
    return SETTLE(*(same_way ? &have->delay_ps : &have->delay_back_ps), given->delay_ps, IS_NEGATIVE) |
           SETTLE(*(same_way ? &have->weight : &have->weight_back), given->weight, isnan) |
           SETTLE(*(same_way ? &have->rate_bps : &have->rate_back_bps), given->rate_bps, IS_ZERO);
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
    if (number == WI_NO_NAME ||
        !wi_grow_zeroed(&list->of_id, &list->of_id_capacity, number + (size_t)1, sizeof *list->of_id))
        return false;
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
    const double scaled = weight * scale, near = nearbyint(scaled);
    return isnan(weight) || weight == 0 || (near > 0 && fabs(scaled - near) < 1e-6);
}

/* Whether all weights are whole and small enough under a scale; `fits` says the latter alone. */
static bool all_whole(const wi_link_list *list, uint32_t scale, bool *fits)
{
    bool good = true;
    *fits = true;
    for (size_t i = 0; i < list->n; i++) {
        const double weight = list->item[i].weight, back = list->item[i].weight_back;
        good = good && whole(weight, scale) && whole(back, scale);
        *fits = *fits && !(weight * scale > WI_WEIGHT_MAX) && !(back * scale > WI_WEIGHT_MAX);
    }
    return good && *fits;
}

/* The least scale that makes all weights whole, or the largest under which they are small enough. */
static uint32_t scale_of(const wi_link_list *list)
{
    static const uint32_t scales[] = {1, 2, 4, 5, 8, 10, 20, 100, 1000, 10000, 100000, 1000000};
    uint32_t largest = 1;
    for (size_t k = 0; k < sizeof scales / sizeof *scales; k++) {
        bool fits;
        if (all_whole(list, scales[k], &fits))
            return scales[k];
        largest = fits ? scales[k] : largest;
    }
    return largest;
}

typedef struct scaling {
    uint32_t scale;
    uint64_t zeros, rounded;
    bool too_large;
} scaling;

static uint32_t scaled(double weight, scaling *s)
{
    if (isnan(weight))
        return 0;
    const double value = nearbyint(weight * s->scale);
    s->too_large |= value > WI_WEIGHT_MAX;
    s->zeros += weight == 0;
    s->rounded += !whole(weight, s->scale);
    return value < 1 || value > WI_WEIGHT_MAX ? 1 : (uint32_t)value;
}

/* The least rate above 0, and how many links state a rate of 0 for a direction. */
static uint64_t least_rate(const wi_link_list *list, uint64_t *zeros)
{
    uint64_t least = 0;
    *zeros = 0;
    for (size_t i = 0; i < list->n; i++) {
        const wi_listed *l = &list->item[i];
        const uint64_t rates[2] = {l->rate_bps, l->rate_back_bps};
        for (int k = 0; k < 2; k++)
            least = rates[k] > 0 && (least == 0 || rates[k] < least) ? rates[k] : least;
        *zeros += (l->zero_rate && l->rate_bps == 0) || (l->zero_back && l->rate_back_bps == 0);
    }
    return least;
}

/* A rate of 0 is none: in a file of rates the least of them, lest that link be the fastest by a default. */
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
    /* What is given for one direction holds for the other where that has nothing. */
    if (link.rate_bps == 0)
        link.rate_bps = link.rate_back_bps;
    if (link.delay_ps < 0)
        link.delay_ps = link.delay_back_ps;
    if (link.weight == 0)
        link.weight = link.weight_back;
    return link;
}

static void report_scaling(weir_diag *diag, const char *name, const scaling *s)
{
    if (s->scale != 1)
        weir_note(diag, "%s: weights are multiplied by %u to make them whole", name, s->scale);
    if (s->zeros > 0)
        weir_warn(diag, "%s: %llu weights are 0 and are taken as the least, %.10g", name,
                  (unsigned long long)s->zeros, 1.0 / s->scale);
    if (s->rounded > 0)
        weir_warn(
            diag,
            "%s: %llu weights have more digits than weights of such a range can: they are rounded to %.10g",
            name, (unsigned long long)s->rounded, 1.0 / s->scale);
}

static void report_rates(weir_diag *diag, const char *name, uint64_t zeros, uint64_t least)
{
    char rate[WEIR_UNITS_TEXT];
    if (zeros > 0 && least > 0)
        weir_warn(diag,
                  "%s: %llu links have a rate of 0 where others have one; the least of those, %s, is assumed",
                  name, (unsigned long long)zeros, weir_format_rate(least, rate));
    else if (zeros > 0)
        weir_warn(diag, "%s: all rates are 0 (%llu links) and count as not given", name,
                  (unsigned long long)zeros);
}

static void report_merging(weir_diag *diag, const char *name, const wi_link_list *list)
{
    const uint64_t one_way = wi_link_list_one_way(list);
    if (one_way > 0)
        weir_note(diag, "%s: %llu links lead one way only", name, (unsigned long long)one_way);
    if (list->again > 0)
        weir_note(diag,
                  "%s: %llu entries name a pair of nodes that was named before, as lists of both directions "
                  "do; each pair is one link",
                  name, (unsigned long long)list->again);
    if (list->conflicts > 0)
        weir_warn(diag,
                  "%s: %llu entries contradict an earlier one about the same pair; the first one was taken",
                  name, (unsigned long long)list->conflicts);
}

void wi_link_list_finish(const wi_link_list *list, wi_source *source, uint32_t scale,
                         weir_graph_builder *builder)
{
    scaling s = {.scale = scale ? scale : scale_of(list)};
    builder->weight_scale = s.scale;
    uint64_t zeros;
    const uint64_t least = least_rate(list, &zeros);
    for (size_t i = 0; i < list->n; i++)
        weir_graph_add_link(builder, link_of(&list->item[i], least, &s));
    if (builder->failed != WEIR_OK)
        source->status = weir_fail(source->diag, builder->failed, "%s: %s", source->name, builder->why);
    else if (s.too_large)
        wi_fail_at(source, 0, 0, "the largest weight times %u is above 2^24; choose a smaller weight scale",
                   s.scale);
    if (source->status != WEIR_OK)
        return;
    report_scaling(source->diag, source->name, &s);
    report_rates(source->diag, source->name, zeros, least);
    report_merging(source->diag, source->name, list);
}
