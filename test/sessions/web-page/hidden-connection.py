# Connects to the server so that no list of open files has the connection while it is judged, and prints how it was answered.

import array, ctypes, os, socket, subprocess, sys, threading, time

way, port, token = sys.argv[1], int(sys.argv[2]), sys.argv[3]
libc = ctypes.CDLL(None, use_errno=True)
# Reading is acting, too.
METHOD = "GET /v1/server" if way == "reads" else "POST /v1/sessions"
HEAD = METHOD + " HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\n" % (port, token)
BODY = "\r\n" if way == "reads" else "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
REQUEST = (HEAD + "Connection: close\r\n" + BODY).encode()


def answer(connection):
    connection.settimeout(30)
    text = b""
    while chunk := connection.recv(4096):
        text += chunk
    return text.split(b"\r\n")[0].decode()


def plain(source=None):
    connection = socket.create_connection(("127.0.0.1", port), source_address=source)
    connection.sendall(REQUEST)
    return answer(connection)


def reads():
    return plain()


def not_dumpable():
    libc.prctl(4, 0, 0, 0, 0)
    return plain()


def other_address():
    probe = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        probe.connect(("192.0.2.1", 9))
    except OSError:
        return plain()  # this machine has no other
    return plain((probe.getsockname()[0], 0))


def own_files():
    found = []

    def run():
        libc.unshare(0x400)  # CLONE_FILES
        found.append(plain())

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    return found[0]


def in_flight():
    here, there = socket.socketpair()
    connection = socket.create_connection(("127.0.0.1", port))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, 1)  # sent a moment later
    connection.send(REQUEST)
    here.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [connection.fileno()]))])
    connection.close()
    time.sleep(1)
    (_, _, data), *_ = there.recvmsg(1, socket.CMSG_LEN(4))[1]
    return answer(socket.socket(fileno=array.array("i", data)[0]))


def first_thread_gone():
    read, write = os.pipe()
    if os.fork() == 0:

        def run():
            time.sleep(0.3)
            os.write(write, plain().encode())
            os._exit(0)

        threading.Thread(target=run).start()
        libc.syscall(93 if os.uname().machine == "aarch64" else 60, 0)  # exit, of this thread alone
    os.close(write)
    return os.read(read, 4096).decode()


def nested_shield():
    folders = [f for f in ["/usr", "/bin", "/lib", "/lib64"] if os.path.exists(f)]
    binds = [word for folder in folders for word in ["--ro-bind", folder, folder]]
    here = os.getcwd()
    command = ["bwrap", *binds, "--ro-bind", here, "/here", "--chdir", "/here", "--dev", "/dev", "--"]
    inner = subprocess.run([*command, sys.executable, "hidden.py", "plain", *sys.argv[2:]], capture_output=True, text=True)
    return inner.stdout.replace("plain ", "").strip() or inner.stderr.strip()


print(way, globals()[way](), flush=True)
