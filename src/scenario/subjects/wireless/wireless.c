/* The wireless mesh as a scenario's subject. */
#include "scenario/subject/subject.h"

#include <math.h>
#include <stdlib.h>

#include "models/wireless/stats.h"
#include "output/json.h"
#include "output/series.h"
#include "scenario/subjects/wireless/channels.h"
#include "scenario/subjects/wireless/keys.h"

typedef struct wireless_subject {
    weir_diag *diag;
    wireless_params params;
    const wireless_asked *asked;
    wi_wireless *made;
    const weir_sim *sim;
    wi_series *series;
    wi_series_table *table;
    wi_wireless_channels channels;
    wireless_stats warm, now; /* at the end of the warm-up; when last looked */
    weir_time last_ps, warm_ps;
} wireless_subject;

static weir_status build(weir_diag *diag, const weir_scenario *scenario, void **made)
{
    wireless_subject *s = calloc(1, sizeof *s);
    *made = s;
    if (!s)
        return weir_fail(diag, WEIR_E_NOMEM, "no memory for wireless");
    s->diag = diag;
    s->asked = wi_model_params(scenario);
    s->params = wi_wireless_params_of(s->asked);
    return wi_wireless_new(diag, &s->params, &s->made);
}

static void release(void *made)
{
    wireless_subject *s = made;
    if (!s)
        return;
    wi_series_drop(s->series);
    wi_wireless_channels_end(&s->channels);
    wi_wireless_free(s->made);
    free(s);
}

static weir_status estimate(weir_diag *diag, const void *made, weir_estimate *out)
{
    const wireless_subject *s = made;
    const wireless_world *w = wi_wireless_world(s->made);
    (void)diag;
    out->entities = WIRELESS_MODULES * (uint64_t)w->n_nodes;
    out->memory_bytes =
        out->entities * 200 + w->n_links * (sizeof(wireless_link) + 24ull * (w->n_sinusoids + 2));
    return WEIR_OK;
}

static void set_up(void *made, weir_setup *setup)
{
    wi_wireless_setup(((wireless_subject *)made)->made, setup);
}

static weir_status begin(weir_diag *diag, void *made, const wi_sinks *to)
{
    static const wi_series_column columns[] = {{"packets_per_s", "1/s"}, {"delivery_ratio", "1"}};
    static const char *const rows[] = {"all"};
    wireless_subject *s = made;
    s->diag = diag;
    weir_status status = wi_series_open(diag, to, "series.h5", &s->series);
    if (status != WEIR_OK || !s->series)
        return status;
    status = wi_series_table_add(diag, s->series, "wireless", columns, 2, rows, 1, &s->table);
    if (status == WEIR_OK && s->asked->channels)
        status = wi_wireless_channels_begin(diag, s->made, s->series, s->asked->place, &s->channels);
    return status;
}

static weir_status keep(void *made, wi_archiver *k)
{
    wireless_subject *s = made;
    wi_archive_section(k, "results");
    wi_archive(k, &s->warm, sizeof s->warm);
    wi_archive(k, &s->now, sizeof s->now);
    wi_archive(k, &s->last_ps, sizeof s->last_ps);
    wi_archive(k, &s->warm_ps, sizeof s->warm_ps);
    wi_series_archive(s->series, k);
    return wi_archiver_status(k);
}

static weir_status attach(weir_diag *diag, void *made, const weir_sim *sim)
{
    (void)diag;
    ((wireless_subject *)made)->sim = sim;
    return WEIR_OK;
}

/* States of all modules. */
static bool wants(const void *made, bool warm, weir_sim_want *out)
{
    (void)made, (void)warm, (void)out;
    return false;
}

static weir_status look_at(wireless_subject *s, wireless_stats *out)
{
    return wi_wireless_stats(s->diag, (weir_sim *)s->sim, s->made, out);
}

static weir_status warm(void *made)
{
    wireless_subject *s = made;
    s->warm_ps = weir_sim_now(s->sim);
    return look_at(s, &s->warm);
}

static weir_status sample(void *made)
{
    wireless_subject *s = made;
    wireless_stats now;
    weir_status status = look_at(s, &now);
    if (status != WEIR_OK)
        return status;
    const weir_time now_ps = weir_sim_now(s->sim);
    const double arrived = (double)(now.intact + now.lost - s->now.intact - s->now.lost);
    const double row[2] = {(double)(now.packets - s->now.packets) / weir_seconds(now_ps - s->last_ps),
                           (double)(now.intact - s->now.intact) / arrived};
    s->now = now;
    s->last_ps = now_ps;
    if (s->table && (status = wi_series_append(s->diag, s->table, now_ps, row)) == WEIR_OK)
        status = wi_wireless_channels_sample(s->diag, s->made, s->sim, &s->channels);
    return status;
}

/* What arrived was sent; each data frame that arrived was answered once. */
static weir_status check(weir_diag *diag, void *made)
{
    wireless_subject *s = made;
    wireless_stats n;
    const weir_status status = look_at(s, &n);
    if (status != WEIR_OK)
        return status;
    const uint64_t answered = n.answered[0] + n.answered[1], arrived = n.intact + n.lost;
    const uint64_t back = n.acks + n.nacks + n.answers_lost;
    if (n.received > n.intact || arrived > n.sent[WIRELESS_DATA] * (s->params.n_nodes - 1ull) ||
        back > answered || (s->params.replies != WIRELESS_NO_REPLIES && answered != arrived))
        return weir_fail(
            diag, WEIR_E_MODEL,
            "wireless: %llu frames sent, %llu arrived, %llu answered, %llu answers back: these do not add "
            "up; this is a fault of weir",
            (unsigned long long)n.sent[WIRELESS_DATA], (unsigned long long)arrived,
            (unsigned long long)answered, (unsigned long long)back);
    return WEIR_OK;
}

static void look(void *made)
{
    wireless_subject *s = made;
    (void)!look_at(s, &s->now);
}

static weir_status finish(void *made)
{
    wireless_subject *s = made;
    const weir_status status = wi_series_close(s->diag, s->series);
    s->series = NULL;
    return status;
}

static void summarise(const void *made, json_t *summary)
{
    const wireless_subject *s = made;
    const wireless_stats *n = &s->now, *w = &s->warm;
    const double span_s = weir_seconds(weir_sim_now(s->sim) - s->warm_ps);
    const double arrived = (double)(n->intact + n->lost - w->intact - w->lost);
    const uint64_t received = n->received - w->received;
    json_t *o = json_object();
    json_object_set_new(o, "packets", wi_json_count(n->packets - w->packets));
    json_object_set_new(o, "delivery_ratio", wi_json_real((double)(n->intact - w->intact) / arrived));
    json_object_set_new(o, "received", wi_json_count(received));
    json_object_set_new(o, "throughput_bps",
                        wi_json_real(8.0 * s->params.packet_bytes * (double)received / span_s));
    json_object_set_new(o, "delay_mean_s", wi_json_real(n->mean_delay_s));
    json_object_set_new(o, "delay_max_s", wi_json_real(n->most_delay_s));
    json_object_set_new(o, "acks_sent", wi_json_count(n->answered[0] - w->answered[0]));
    json_object_set_new(o, "nacks_sent", wi_json_count(n->answered[1] - w->answered[1]));
    json_object_set_new(o, "acks_received", wi_json_count(n->acks - w->acks));
    json_object_set_new(o, "nacks_received", wi_json_count(n->nacks - w->nacks));
    json_object_set_new(o, "answers_lost", wi_json_count(n->answers_lost - w->answers_lost));
    json_object_set_new(o, "spoilt", wi_json_count(n->spoilt - w->spoilt));
    json_object_set_new(o, "waited", wi_json_count(n->waited - w->waited));
    json_object_set_new(summary, "wireless", o);
}

static void tell(FILE *out, const json_t *summary)
{
    const json_t *o = json_object_get(summary, "wireless");
    fprintf(
        out,
        "wireless: %.0f packets, %.2f %% of receptions intact, %.4g Mbit/s received, mean delay %.3g ms\n",
        wi_number_of(o, "packets"), 100.0 * wi_number_of(o, "delivery_ratio"),
        1e-6 * wi_number_of(o, "throughput_bps"), 1e3 * wi_number_of(o, "delay_mean_s"));
}

static const char *const usual[] = {"wireless.delivery_ratio", "wireless.delay_mean_s",
                                    "wireless.throughput_bps", NULL};

/* wi_wireless_check_keys, for the JSON Schema. */
#define RATES_MBPS \
    "{'enum': [6, 9, 12, 18, 24, 36, 48, 54, '6', '9', '12', '18', '24', '36', '48', '54', null]}"

const wi_subject wi_subject_wireless = WI_SUBJECT(
        .section = {.name = "wireless",
                    .doc =
                        "A wireless mesh: broadcasts over fading channels, answered with ACKs and NACKs. See "
                        "[wireless.md](wireless.md).",
                    .keys = wi_wireless_keys,
                    .n_keys = WI_WIRELESS_N_KEYS,
                    .size = sizeof(wireless_asked),
                    .place_offset = offsetof(wireless_asked, place),
                    .rules = "[{'properties': {'rate_mbps': " RATES_MBPS ", 'reply_mbps': " RATES_MBPS "}}]",
                    .check = wi_wireless_check_keys},
        .estimate = estimate, .keep = keep, .look = look, .samples_are_series = wi_samples_are_series,
        .tell = tell, .usual = usual);
