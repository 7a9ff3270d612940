/*
 * Runs on a device that end its process, fail the device, or take too long: they cost themselves alone, and are named; all
 * others have the rows that they have on cores; a study that is begun again makes none of them again. Where CUDA is open
 * in the caller's process, runs stay there, and a note says so. The system ends the process (RLIMIT_CPU), as it ends one
 * that takes too much memory. Exit 0: all as it should be; 1: not; 77: no device.
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "weir/engine.h"
extern "C" {
#include "weir/study.h"
}

#ifndef WEIR_EMULATED
#define WEIR_EMULATED 0
#endif

/* Points 0 and 2 take milliseconds, point 1 as long as it may: limits below leave a busy machine hundreds of times as much. */
static const char scenario[] =
    "weir: 1\nname: p\nduration: 2us\n"
    "model: {phold: {entities: 16, events: 1, remote: 50%, lookahead: 10ns, mean: 90ns}}\n"
    "study:\n  replications: 2\n  vary: [{path: duration, values: [2us, 100s, 3us]}]\n";

static int failures;

static void expect(bool good, const char *what, const std::string &found)
{
    if (good)
        return;
    failures++;
    printf("%s:\n%s\n", what, found.c_str());
}

static int count(const std::string &text, const char *what)
{
    int n = 0;
    for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        n++;
    return n;
}

static std::string read_text(const std::string &path)
{
    std::string text;
    if (FILE *f = fopen(path.c_str(), "r")) {
        for (int c; (c = fgetc(f)) != EOF;)
            text += (char)c;
        fclose(f);
    }
    return text;
}

/* What a study in a process of its own said, its status first. */
static std::string run_study(const char *dir, double timeout_s, unsigned cpu_s, bool cuda_is_open = false)
{
    const pid_t pid = fork();
    if (pid == 0) {
        weir_study_options o;
        weir_study *study = nullptr;
        weir_study_result result = {};
        weir_diag *diag = weir_diag_new();
        char text[300];
        struct rlimit limit = {cpu_s, RLIM_INFINITY};
        if (cpu_s > 0 && setrlimit(RLIMIT_CPU, &limit) != 0)
            _exit(1);
        if (cuda_is_open && !weir_gpu_describe(0, text, sizeof text))
            _exit(1);
        weir_study_options_init(&o);
        o.output_dir = dir;
        o.device = "cuda";
        o.run_timeout_s = timeout_s;
        /* without point 1, where nothing can end it */
        const char *const sets[] = {"study.vary=[{path: duration, values: [2us, 3us]}]"};
        weir_status status = weir_study_open(diag, "p.yaml", sets, cuda_is_open, &o, &study);
        if (status == WEIR_OK)
            status = weir_study_run(study, &o, &result);
        FILE *f = fopen("said", "w");
        fprintf(f, "%s, %d failed, %d reused\n", weir_status_name(status), (int)result.failed,
                (int)result.reused);
        for (size_t i = 0; i < weir_diag_count(diag); i++)
            fprintf(f, "%s\n", weir_diag_get(diag, i)->text);
        fclose(f);
        _exit(0);
    }
    int how = 0;
    waitpid(pid, &how, 0);
    return how == 0 ? read_text("said") : "the process of the study died";
}

/* Two runs failed, and say why; the others are there. */
static void expect_rows(const char *dir, const char *why)
{
    const std::string rows = read_text(std::string(dir) + "/runs.csv");
    expect(count(rows, ",ok,") == 4 && count(rows, ",failed,") == 2 && count(rows, why) == 2, why, rows);
}

int main()
{
    char folder[] = "/tmp/weir-gpu-deaths-XXXXXX", line[100];
    const bool emulated = WEIR_EMULATED;
    if (!mkdtemp(folder) || chdir(folder) != 0)
        return 1;
    FILE *f = fopen("p.yaml", "w");
    fputs(scenario, f);
    fclose(f);

    std::string said = run_study("died", 0.0, emulated ? 1 : 3);
    if (said.find("no GPU") != std::string::npos) {
        printf("no device: %s\n", said.c_str());
        return 77;
    }
    expect(said.find("WEIR_OK, 2 failed, 0 reused") == 0, "runs that die", said);
    expect_rows("died", "its process died again, of signal 24");
    said = run_study("died", 0.0, 0);
    expect(said.find("WEIR_OK, 2 failed, 6 reused") == 0, "begun again", said);

    said = run_study("late", 4.0, 0);
    expect(said.find("WEIR_OK, 2 failed, 0 reused") == 0, "runs that take too long", said);
    expect_rows("late", "took longer than the 4 s of --run-timeout");

    if (!emulated) {
        said = run_study("here", 0.0, 0, true);
        expect(said.find("WEIR_OK, 0 failed") == 0 && count(said, "CUDA is open in this process") == 1,
               "where CUDA is open", said);
    } else {
        setenv("EMULATOR_WATCHDOG", "0.5", 1);
        said = run_study("fault", 0.0, 0, false);
        expect(said.find("WEIR_OK, 2 failed, 0 reused") == 0, "runs that fail the device", said);
        expect_rows("fault", "the launch timed out and was terminated, when no other run was there");
    }
    snprintf(line, sizeof line, "rm -rf %s", folder);
    if (chdir("/") != 0 || system(line) != 0)
        failures++;
    puts(failures ? "FAIL" : "PASS");
    return failures != 0;
}
