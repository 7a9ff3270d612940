/* The network as a picture: nodes at their places, each half of a link coloured by what its end sends. */
#include <math.h>
#include <stdlib.h>

#include "output/plot.h"
#include "report/plots.h"

/* Tenths of a pixel; the network lies in a square of SIDE thousandths (network.c). */
enum { WIDTH = 9000, LEAST = 4000, LEFT = 700, TOP = 800, PANEL = 6000, NAMED_NODES = 80, STEPS = 40 };

typedef struct colour {
    double red, green, blue;
} colour;

static colour of_load(double load)
{
    static const colour points[] = {
        {176, 190, 208}, {86, 160, 215}, {230, 170, 20}, {213, 94, 0}, {170, 0, 20}};
    const double at = 4.0 * (load < 0.0 ? 0.0 : load > 1.0 ? 1.0 : load);
    const int i = at >= 4.0 ? 3 : (int)at;
    const double share = at - i;
    return (colour){points[i].red + share * (points[i + 1].red - points[i].red),
                    points[i].green + share * (points[i + 1].green - points[i].green),
                    points[i].blue + share * (points[i + 1].blue - points[i].blue)};
}

static void put_colour(FILE *out, double load)
{
    const colour c = of_load(load);
    fprintf(out, "#%02x%02x%02x", (unsigned)lround(c.red), (unsigned)lround(c.green),
            (unsigned)lround(c.blue));
}

static double at(const json_t *list, size_t i)
{
    const json_t *value = json_array_get(list, i);
    return json_is_number(value) ? json_number_value(value) : (double)NAN;
}

typedef struct places {
    const json_t *x, *y;
    double left, top; /* of what is drawn, in the middle of the panel */
    int height;       /* of the panel */
} places;

static places find_places(const json_t *network)
{
    places p = {json_object_get(network, "x"), json_object_get(network, "y"), 0, 0, 0};
    double most_x = 0, most_y = 0;
    for (size_t i = 0; i < json_array_size(p.x); i++) {
        most_x = fmax(most_x, at(p.x, i));
        most_y = fmax(most_y, at(p.y, i));
    }
    p.left = LEFT + (1000 - most_x) * PANEL / 2000;
    p.height = most_y * PANEL / 1000 > LEAST ? (int)(most_y * PANEL / 1000) : LEAST;
    p.top = TOP + (p.height - most_y * PANEL / 1000) / 2;
    return p;
}

static int x_of(const places *p, size_t node)
{
    return (int)lround(p->left + at(p->x, node) * PANEL / 1000);
}

static int y_of(const places *p, size_t node)
{
    return (int)lround(p->top + at(p->y, node) * PANEL / 1000);
}

static void draw_links(FILE *out, const json_t *network, const places *p)
{
    const json_t *from = json_object_get(network, "from"), *to = json_object_get(network, "to");
    const json_t *load = json_object_get(json_object_get(network, "values"), "utilisation");
    const size_t n = json_array_size(from);
    for (size_t e = 0; e < n; e++) {
        const size_t a = (size_t)at(from, e), b = (size_t)at(to, e);
        const double value = at(load, e), share = isnan(value) ? 0.0 : value;
        const int x = x_of(p, a), y = y_of(p, a);
        fprintf(out, "<path stroke-width=\"%d\" stroke=\"",
                n > 2000 ? 10 : (int)(20 + 60 * fmin(share, 1.0)));
        put_colour(out, share);
        fprintf(out, "\" d=\"M%d %dL%d %d\"/>\n", x, y, (x + x_of(p, b)) / 2, (y + y_of(p, b)) / 2);
    }
}

static void draw_nodes(FILE *out, const json_t *network, const places *p)
{
    const json_t *names = json_object_get(network, "names"), *hosts = json_object_get(network, "hosts");
    const size_t n = json_array_size(names);
    const int radius = n > 1000 ? 12 : n > 200 ? 25 : 45;
    for (size_t i = 0; i < n; i++) {
        const bool host = at(hosts, i) > 0;
        fprintf(out, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"%s\"/>\n", x_of(p, i), y_of(p, i),
                host ? radius * 2 / 3 : radius, host ? "#777" : "#222");
    }
    for (size_t i = 0; i < n && n <= NAMED_NODES; i++)
        wi_svg_text(out, x_of(p, i) + 70, y_of(p, i) - 50, "start", " class=\"name\"",
                    json_string_value(json_array_get(names, i)));
}

static void draw_scale(FILE *out)
{
    enum { AT = LEFT + PANEL + 1100, TALL = 3200, FROM = TOP + 600, STEP = TALL / STEPS };
    for (int i = 0; i < STEPS; i++) {
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"250\" height=\"%d\" fill=\"", AT,
                FROM + TALL - (i + 1) * STEP, STEP);
        put_colour(out, (i + 0.5) / STEPS);
        fputs("\"/>\n", out);
    }
    for (int tick = 0; tick <= 4; tick++) {
        char text[16];
        snprintf(text, sizeof text, "%d %%", 25 * tick);
        wi_svg_text(out, AT + 330, FROM + TALL - tick * TALL / 4 + 40, "start", "", text);
    }
    wi_svg_text(out, AT, FROM - 200, "start", "", "utilisation");
}

char *wi_plot_map(const json_t *network, const char *title, const wi_plot_look *look, size_t *size)
{
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    if (!out)
        return NULL;
    const places p = find_places(network);
    const int height = TOP + p.height + 800;
    const int font = WIDTH * 140 / wi_look_units(look, WIDTH, WIDTH / 3); /* 140 without a look */
    wi_svg_size(out, look, WIDTH, height);
    fprintf(
        out,
        "<style>text{font:%dpx sans-serif}.name{font-size:%dpx;fill:#333}path{stroke-linecap:round}</style>\n"
        "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
        font, font * 6 / 7, WIDTH, height);
    wi_svg_text(out, WIDTH / 2, 350, "middle", " style=\"font-size:180px\"", title);
    draw_links(out, network, &p);
    draw_nodes(out, network, &p);
    draw_scale(out);
    wi_svg_text(out, LEFT, height - 250, "start", " class=\"name\"",
                "Each half of a link: what the node at its end sends, after the warm-up.");
    fputs("</svg>\n", out);
    const bool good = !ferror(out);
    if (fclose(out) == 0 && good)
        return text;
    free(text);
    return NULL;
}
