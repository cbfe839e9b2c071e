# A process that looks as if it had ended: its first thread has, and another goes on. When it is told to, it creates a start file.

import ctypes, os, sys, threading, time

if os.fork():
    sys.exit(0)
os.setsid()


def later():
    with open("pid", "w") as file:
        file.write(str(os.getpid()))
    os.rename("pid", "running")
    while not os.path.exists("go"):
        time.sleep(0.02)
    with open(os.path.expanduser("~/.laterrc"), "w") as file:
        file.write("planted\n")
    open("written", "w").close()
    time.sleep(600)


os.closerange(0, 64)
threading.Thread(target=later).start()
ctypes.CDLL(None).syscall(93 if os.uname().machine == "aarch64" else 60, 0)  # exit, of this thread alone
