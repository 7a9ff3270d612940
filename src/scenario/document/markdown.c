/* docs/scenario.md: an introduction, and all sections from their tables. */
#include "scenario/document/document.h"

#include <stdlib.h>

static const char introduction[] =
    "# Scenario files\n"
    "\n"
    "<!-- Made from the tables in src/keys; WEIR_UPDATE_DOCS=1 with the test scenario.docs writes it. -->\n"
    "\n"
    "A scenario is one YAML file. It says which network is simulated, with which traffic, and what is "
    "written. This one\n"
    "sends long TCP transfers across a topology file, with short ones and a constant stream beside them:\n"
    "\n"
    "```yaml\n"
    "weir: 1\n"
    "name: coast-to-coast\n"
    "duration: 30s\n"
    "seed: 7\n"
    "topology:\n"
    "  file: backbone.graphml          # or generate: {model: dumbbell, left: 8}\n"
    "  link: {rate: 1Gbps, delay: 2ms} # for links about which the file says nothing\n"
    "  queue: {type: red, limit: 2MB, min: 200kB, max: 1MB}\n"
    "  links:\n"
    "    - {link: Denver->Chicago, rate: 400Mbps, loss: 0.01%}\n"
    "routing: {metric: delay}\n"
    "traffic:\n"
    "  - name: bulk\n"
    "    tcp: {sessions: 4, ecn: true}\n"
    "    from: Seattle\n"
    "    to: [Atlanta, New York]\n"
    "  - name: short\n"
    "    tcp:\n"
    "      size: {pareto: {mean: 50kB, shape: 1.2}}\n"
    "      arrivals: {poisson: 100/s}\n"
    "    pairs: {random: 40}\n"
    "    start: {uniform: [0s, 1s]}\n"
    "  - name: voice\n"
    "    udp: {rate: 64kbps, packet: 200B}\n"
    "    pairs: [[Denver, Houston], [Houston, Denver]]\n"
    "output:\n"
    "  warmup: 5s\n"
    "  ports: [Denver->Chicago]\n"
    "  cwnd: bulk\n"
    "```\n"
    "\n"
    "`weir run FILE` runs it. `weir check FILE` only checks it, lists everything that is wrong with it, and "
    "prints the\n"
    "resolved scenario: all values in force with the defaults below filled in. The same text lies in the "
    "results folder;\n"
    "it reproduces the run, with the files that it names.\n"
    "\n"
    "- **Units are written.** Time: `ps ns us ms s min h d`. Rates: `bps kbps Mbps Gbps Tbps`, in bytes `Bps "
    "kBps MBps ...`.\n"
    "  Sizes: `B kB MB GB TB` and `KiB MiB GiB TiB`. Shares: `30%` or `0.3`, from 0 to 1. Event rates: "
    "`200/s`,\n"
    "  `3/ms`. `b` is a bit and `B` a byte. Where a unit is needed, a bare number is an error.\n"
    "- **Unknown keys are errors**, with the nearest known key; so are keys given twice.\n"
    "- **File names** are relative to the scenario file.\n"
    "- **Names of nodes** are those of the topology file or of its generator; `weir topology names` lists "
    "them, and with `--links` the links.\n"
    "- **Names of links**: `A->B` is the direction from A to B, with its queue at A; `A--B` is both "
    "directions.\n"
    "- **Patterns**: wherever nodes or links are named, `*` stands for any characters, `?` for one, and "
    "brackets for numbers\n"
    "  or characters: `h[0-15]`, `node[01-20,30]` (two digits each), `r[a-d]`, `r[!0-9]*`. `core*--*` is "
    "every link with an end\n"
    "  whose name begins with core, `r*->h*` every port of routers toward hosts, and `*` alone every link. A "
    "pattern that finds\n"
    "  nothing is an error; a node of exactly that name goes first. `from` and `to` are lists of names, in "
    "which a pattern adds\n"
    "  what is not there yet, hosts alone where it matches hosts and routers, which a warning says. A "
    "failure by a\n"
    "  pattern leaves alone what has failed already.\n"
    "- **Change a value without editing**: `--set topology.link.rate=100Mbps`, `--set "
    "traffic.bulk.tcp.sessions=8`. An item of\n"
    "  a list is addressed by its name or its number from 0; a value may be a list or a section in "
    "brackets:\n"
    "  `--set 'traffic.bulk.to=[Atlanta, Houston]'`.\n"
    "- **YAML**: anchors and aliases work; tags, merge keys and several documents in a file do not.\n"
    "- **What a version or a build lacks** (an engine, fluid traffic, captures, a device) is refused by "
    "name, with the place\n"
    "  in the file that asks for it. It is never left out in silence.\n"
    "- `weir check --schema` prints a JSON Schema for editors.\n"
    "\n"
    "Sections of the file follow, with all their keys. Where a key has no default, the column says what its\n"
    "absence means.\n";

char *weir_scenario_markdown(void)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    fputs(introduction, out);
    wi_markdown_sections(out, &wi_schema);
    const bool good = !ferror(out);
    if (fclose(out) == 0 && good)
        return text;
    free(text);
    return NULL;
}
