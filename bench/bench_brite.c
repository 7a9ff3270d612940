/* links: topology base
 *
 * weir's generators held against an oracle of BRITE's two engines (tests/topology/brite_oracle.h, which makes
 * the outputs of real runs link by link): 60 seeds a side and condition, 17 statistics of a graph each. A line
 * a condition and engine: the largest |z| of the difference of means, the largest Kolmogorov-Smirnov distance,
 * and what they are of. Of some 1,000 comparisons of equal distributions the largest |z| is about 3.5, and the
 * distance is 0.36 or more in one of a thousand. Arguments: a part of a condition's name; "all" lists every
 * statistic.
 */
#include "../tests/topology/brite/brite_cases.h"

enum { SEEDS = 60 };

static void sample_weir(const cmp_case *c, const char *engine, double *ours)
{
    weir_diag *diag = weir_diag_new();
    for (int k = 0; k < SEEDS; k++) {
        char copy[400];
        double s[CMP_STATISTICS];
        weir_generator_arg args[24] = {{.name = "engine", .value = engine}};
        size_t n = 1;
        weir_graph *w = NULL;
        snprintf(copy, sizeof copy, "%s", c->text);
        for (char *at = strtok(copy, " "); at; at = strtok(NULL, " ")) {
            char *value = strchr(at, '=');
            *value = '\0';
            args[n++] = (weir_generator_arg){.name = at, .value = value + 1};
        }
        if (weir_topology_generate(diag, c->model, args, n, (uint64_t)k + 1, &w) != WEIR_OK) {
            fprintf(stderr, "bench_brite: %s: %s\n", c->name,
                    weir_diag_get(diag, weir_diag_count(diag) - 1)->text);
            exit(1);
        }
        cmp_graph g = cmp_of_weir(c, w);
        cmp_measure(&g, s);
        for (int i = 0; i < CMP_STATISTICS; i++)
            ours[i * SEEDS + k] = s[i];
        cmp_graph_free(&g);
        weir_graph_free(w);
    }
    weir_diag_free(diag);
}

static void compare(const cmp_case *c, bool java, bool all)
{
    static double ours[CMP_STATISTICS * SEEDS], theirs[CMP_STATISTICS * SEEDS];
    const char *engine = java ? "java" : "cpp";
    const int lost = cmp_sample_oracle(c, java, SEEDS, theirs);
    double z_most = 0, d_most = 0;
    int z_at = 0, d_at = 0;
    if (lost > 20 * SEEDS) {
        printf("%-48s %-5s the engine has no answer\n", c->name, engine);
        return;
    }
    sample_weir(c, engine, ours);
    for (int i = 0; i < CMP_STATISTICS; i++) {
        double *a = ours + i * SEEDS, *b = theirs + i * SEEDS, ma, mb, va, vb;
        cmp_moments(a, SEEDS, &ma, &va);
        cmp_moments(b, SEEDS, &mb, &vb);
        const double z = cmp_z(a, b, SEEDS), d = cmp_ks(a, b, SEEDS);
        if (all && (va > 0 || vb > 0 || z != 0))
            printf("    %-18s %12.4f %12.4f  sd %10.4f %10.4f  z %6.2f  D %.2f\n", cmp_names[i], ma, mb,
                   sqrt(va), sqrt(vb), z, d);
        if (fabs(z) > fabs(z_most)) {
            z_most = z;
            z_at = i;
        }
        if (d > d_most) {
            d_most = d;
            d_at = i;
        }
    }
    printf("%-48s %-5s %6.2f %-16s %.2f %-16s", c->name, engine, z_most, cmp_names[z_at], d_most,
           cmp_names[d_at]);
    if (lost > 0)
        printf(" %d of %d runs of the engine do not end", lost, lost + SEEDS);
    printf("\n");
    fflush(stdout);
}

int main(int argc, char **argv)
{
    const bool all = argc > 1 && strcmp(argv[argc - 1], "all") == 0;
    const char *part = argc > 1 && strcmp(argv[1], "all") != 0 ? argv[1] : "";
    printf("%d seeds a side; |z| and D of the statistic that differs most\n\n", SEEDS);
    printf("%-48s %-5s %6s %-16s %-4s\n", "condition", "", "z", "of", "D");
    for (int i = 0; i < CMP_CASES; i++)
        for (int java = 0; java < 2; java++)
            if (strstr(cmp_cases[i].name, part))
                compare(&cmp_cases[i], java, all);
    return 0;
}
