"""How large must the buffer be? Mean goodput and delay, with their intervals, over five sizes. docs/python.md"""
import weir

study = weir.study(
    "examples/first/first.yaml",
    {"topology.queue.limit": ["10kB", "20kB", "40kB", "80kB", "160kB"]},
    replications=10,
    metrics=["goodput = classes.download.goodput_bps", "delay = classes.call.delay.p99_s"],
    set={"traffic.download.start": {"uniform": ["0s", "1s"]}},
)
print(study.aggregate[["topology.queue.limit", "metric", "n", "mean", "low", "high"]].to_string(index=False))
