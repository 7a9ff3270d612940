"""When does the queue first pass half of its limit? A session is advanced by 50 ms at a time. docs/python.md"""
import weir

with weir.session("examples/first/first.yaml") as session:
    while session.now < session.end:
        session.advance(session.now + 0.05)
        queue = session.series("ports", "queue_bytes", "left->right")
        if queue.value[-1] > 50e3:
            break
    print(f"at {session.now:.2f} s the queue holds {queue.value[-1] / 1e3:.0f} kB; "
          f"goodput so far {session.metric('classes.download.goodput_bps') / 1e6:.2f} Mb/s")
    session.advance()
    run = session.finish()
print(run.flows[["class", "goodput_bps", "loss"]].to_string(index=False))
