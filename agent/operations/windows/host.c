/*
 * Runs a part of Causeway as a Windows service, as systemd does on Linux. Called by the service manager as
 *
 *   causeway-host.exe [--once] NAME SETTINGS LOG COMMAND...
 *
 * NAME is the service, SETTINGS the file with a NAME=VALUE per line, LOG where the part's output goes. The part gets a
 * standard input that closes when it is to end. Started by hand it does the same until its own input closes.
 *
 * A crashed part is started again after 2 seconds, at most ten times in five minutes. After exit codes 2, 71 and 73
 * (wrong settings, a ledger too new or damaged) a new start would end the same way: the service stops with that code, and
 * with --once after any. The part's children end with the host.
 */
#include <windows.h>
#include <stdio.h>

#define STOP_MS 20000
#define AGAIN_MS 2000
#define MOST_STARTS 10
#define IN_MS 300000
#define MOST_LOG (10 * 1024 * 1024)
#define KEPT_LOGS 5
#define MOST_SETTINGS (256 * 1024)
#define MOST_COMMAND 32767

static const WCHAR *name, *settings, *logfile;
static WCHAR command[MOST_COMMAND];
static HANDLE stopping, job, log_file = INVALID_HANDLE_VALUE;
static BOOL once;
static CRITICAL_SECTION logging;
static SERVICE_STATUS_HANDLE reporting;

static void report(DWORD state, DWORD code) {
  SERVICE_STATUS status = {SERVICE_WIN32_OWN_PROCESS, state, 0, NO_ERROR, 0, 0, 0};
  if (reporting == NULL) return;
  if (state == SERVICE_RUNNING) status.dwControlsAccepted = SERVICE_ACCEPT_STOP | SERVICE_ACCEPT_SHUTDOWN;
  if (state == SERVICE_STOP_PENDING) status.dwWaitHint = STOP_MS + 5000;
  if (code != 0) {
    status.dwWin32ExitCode = ERROR_SERVICE_SPECIFIC_ERROR;
    status.dwServiceSpecificExitCode = code;
  }
  SetServiceStatus(reporting, &status);
}

/* The log: appended to by whole pieces, and moved on to LOG.1 … LOG.5 when it is full. */
static void open_log(void) {
  log_file = CreateFileW(logfile, FILE_APPEND_DATA, FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE, NULL,
                        OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, NULL);
}

static void numbered(WCHAR *into, int number) {
  if (number == 0) swprintf(into, MAX_PATH, L"%ls", logfile);
  else swprintf(into, MAX_PATH, L"%ls.%d", logfile, number);
}

static void write_log(const char *bytes, DWORD count) {
  LARGE_INTEGER size;
  WCHAR from[MAX_PATH], to[MAX_PATH];
  DWORD written;
  EnterCriticalSection(&logging);
  if (log_file != INVALID_HANDLE_VALUE && GetFileSizeEx(log_file, &size) && size.QuadPart >= MOST_LOG) {
    CloseHandle(log_file);
    for (int number = KEPT_LOGS; number > 0; number--) {
      numbered(from, number - 1);
      numbered(to, number);
      MoveFileExW(from, to, MOVEFILE_REPLACE_EXISTING);
    }
    open_log();
  }
  if (log_file != INVALID_HANDLE_VALUE) WriteFile(log_file, bytes, count, &written, NULL);
  LeaveCriticalSection(&logging);
}

/* A line of the host's own, in the form of the parts' logs. */
static void say(int level, const char *message, long value) {
  char line[512];
  int length = snprintf(line, sizeof line, "{\"level\":%d,\"part\":\"host\",\"msg\":\"%s\",\"value\":%ld}\n", level, message, value);
  write_log(line, (DWORD)length);
}

/* Variables that change Node or its TLS are dropped from the settings and the environment. */
static const WCHAR *OBEYED[] = {L"NODE_OPTIONS", L"NODE_PATH", L"NODE_EXTRA_CA_CERTS", L"NODE_TLS_REJECT_UNAUTHORIZED",
                                L"SSLKEYLOGFILE", L"SSL_CERT_FILE", L"OPENSSL_CONF", L"OPENSSL_MODULES"};

/* Any other name would reach the runtime of the part, which some make run code (environment-file.ts). */
static BOOL is_setting(const WCHAR *line, size_t length) {
  const WCHAR *rest = L"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (length > 9 && wcsncmp(line, L"CAUSEWAY_", 9) == 0) return wcsspn(line, rest) == length;
  return (length == 11 && wcsncmp(line, L"HTTPS_PROXY", 11) == 0) ||
         (length == 16 && wcsncmp(line, L"HTTPS_PROXY_FILE", 16) == 0) || (length == 8 && wcsncmp(line, L"NO_PROXY", 8) == 0);
}

/*
 * The environment of the part: the host's own and, over it, what the settings say. A value is what stands there, without
 * blanks around it. Returns NULL for a line of another form or a name that comes twice, having said so.
 */
static WCHAR *environment(void) {
  static char text[MOST_SETTINGS];
  static WCHAR wide[MOST_SETTINGS];
  WCHAR *names[1024];
  int count = 0, number = 0;
  DWORD read = 0;
  HANDLE file = CreateFileW(settings, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
  if (file == INVALID_HANDLE_VALUE || !ReadFile(file, text, sizeof text - 1, &read, NULL)) {
    say(60, "the settings file cannot be read", (long)GetLastError());
    if (file != INVALID_HANDLE_VALUE) CloseHandle(file);
    return NULL;
  }
  CloseHandle(file);
  int wides = MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, (int)read, wide, MOST_SETTINGS - 1);
  if (read == sizeof text - 1 || (wides == 0 && read > 0)) {
    say(60, "the settings file is too large or not UTF-8", (long)read);
    return NULL;
  }
  wide[wides] = 0;
  for (size_t index = 0; index < sizeof OBEYED / sizeof *OBEYED; index++) SetEnvironmentVariableW(OBEYED[index], NULL);
  for (WCHAR *line = wide[0] == 0xFEFF ? wide + 1 : wide, *end; *line != 0; line = end) {
    number++;
    end = line + wcscspn(line, L"\n");
    if (*end != 0) *end++ = 0;
    line += wcsspn(line, L" \t");
    for (size_t last = wcslen(line); last > 0 && wcschr(L" \t\r", line[last - 1]) != NULL; last--) line[last - 1] = 0;
    if (*line == 0 || *line == L'#') continue;
    WCHAR *equals = wcschr(line, L'=');
    size_t length = wcsspn(line, L"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    if (equals == NULL || length == 0 || line + length != equals || (*line >= L'0' && *line <= L'9') || count == 1024) {
      say(60, "the settings file has a line that is not NAME=VALUE", number);
      return NULL;
    }
    if (!is_setting(line, length)) {
      say(60, "the settings file has a name that is no setting of Causeway, in line", number);
      return NULL;
    }
    for (int earlier = 0; earlier < count; earlier++)
      if (_wcsnicmp(names[earlier], line, length + 1) == 0) {
        say(60, "the settings file says a name twice, the second time in line", number);
        return NULL;
      }
    names[count++] = line;
    if (wcspbrk(equals, L"\"'\\") != NULL) {
      say(60, "the settings file has a quote or a backslash in a value: write / in paths; line", number);
      return NULL;
    }
    WCHAR *value = equals + 1;
    value += wcsspn(value, L" \t");
    *equals = 0;
    SetEnvironmentVariableW(line, value);
    *equals = L'=';
  }
  return GetEnvironmentStringsW();
}

static DWORD WINAPI copy_output(LPVOID pipe) {
  char piece[8192];
  DWORD count;
  while (ReadFile(pipe, piece, sizeof piece, &count, NULL) && count > 0) write_log(piece, count);
  CloseHandle(pipe);
  return 0;
}

/* Runs the part once. Returns its exit code; *asked: whether the service manager asked it to end. */
static DWORD run_once(WCHAR *block, BOOL *asked) {
  SECURITY_ATTRIBUTES inherited = {sizeof inherited, NULL, TRUE};
  STARTUPINFOW start = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES};
  PROCESS_INFORMATION part;
  HANDLE in_read, in_write, out_read, out_write;
  DWORD code = 1;
  CreatePipe(&in_read, &in_write, &inherited, 0);
  CreatePipe(&out_read, &out_write, &inherited, 0);
  SetHandleInformation(in_write, HANDLE_FLAG_INHERIT, 0);
  SetHandleInformation(out_read, HANDLE_FLAG_INHERIT, 0);
  start.hStdInput = in_read;
  start.hStdOutput = start.hStdError = out_write;
  /* Suspended until it is in the job: nothing that it starts can get away. */
  BOOL started = CreateProcessW(NULL, command, NULL, NULL, TRUE,
                                CREATE_UNICODE_ENVIRONMENT | CREATE_NO_WINDOW | CREATE_SUSPENDED, block, NULL, &start, &part);
  CloseHandle(in_read);
  CloseHandle(out_write);
  if (!started) {
    say(60, "the part cannot be started", (long)GetLastError());
    CloseHandle(in_write);
    CloseHandle(out_read);
    return code;
  }
  AssignProcessToJobObject(job, part.hProcess);
  HANDLE copying = CreateThread(NULL, 0, copy_output, out_read, 0, NULL);
  ResumeThread(part.hThread);
  HANDLE either[] = {part.hProcess, stopping};
  *asked = WaitForMultipleObjects(2, either, FALSE, INFINITE) == WAIT_OBJECT_0 + 1;
  if (*asked) report(SERVICE_STOP_PENDING, 0);
  CloseHandle(in_write);
  if (WaitForSingleObject(part.hProcess, *asked ? STOP_MS : 0) != WAIT_OBJECT_0) {
    say(50, "the part did not end in time and is ended", STOP_MS);
    TerminateJobObject(job, 1);
    WaitForSingleObject(part.hProcess, INFINITE);
  }
  GetExitCodeProcess(part.hProcess, &code);
  /* A child that is left may hold the pipe open: wait for the part's own last output only. */
  WaitForSingleObject(copying, 2000);
  CloseHandle(copying);
  CloseHandle(part.hThread);
  CloseHandle(part.hProcess);
  return code;
}

static DWORD run(void) {
  ULONGLONG starts[MOST_STARTS] = {0};
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
  BOOL asked = FALSE;
  open_log();
  job = CreateJobObjectW(NULL, NULL);
  limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
  SetInformationJobObject(job, JobObjectExtendedLimitInformation, &limits, sizeof limits);
  WCHAR *block = environment();
  if (block == NULL) return 2;
  report(SERVICE_RUNNING, 0);
  for (unsigned round = 0;; round++) {
    ULONGLONG now = GetTickCount64(), *oldest = &starts[round % MOST_STARTS];
    if (round >= MOST_STARTS && now - *oldest < IN_MS) {
      say(60, "the part has ended too often and is not started again", MOST_STARTS);
      return 1;
    }
    *oldest = now;
    DWORD code = run_once(block, &asked);
    if (asked) return 0;
    say(code == 0 ? 30 : 50, "the part has ended by itself with exit code", (long)code);
    if (once || code == 2 || code == 71 || code == 73) return code;
    if (WaitForSingleObject(stopping, AGAIN_MS) == WAIT_OBJECT_0) return 0;
  }
}

static DWORD WINAPI on_control(DWORD control, DWORD type, LPVOID data, LPVOID context) {
  (void)type, (void)data, (void)context;
  if (control == SERVICE_CONTROL_INTERROGATE) return NO_ERROR;
  if (control != SERVICE_CONTROL_STOP && control != SERVICE_CONTROL_SHUTDOWN) return ERROR_CALL_NOT_IMPLEMENTED;
  SetEvent(stopping);
  return NO_ERROR;
}

static void WINAPI serve(DWORD argc, LPWSTR *argv) {
  (void)argc, (void)argv;
  reporting = RegisterServiceCtrlHandlerExW(name, on_control, NULL);
  report(SERVICE_START_PENDING, 0);
  report(SERVICE_STOPPED, run());
}

/* Started by hand: the end of its own input asks for the end. */
static DWORD WINAPI watch_input(LPVOID unused) {
  char piece[256];
  DWORD count;
  (void)unused;
  while (ReadFile(GetStdHandle(STD_INPUT_HANDLE), piece, sizeof piece, &count, NULL) && count > 0);
  SetEvent(stopping);
  return 0;
}

/* One argument, so that CommandLineToArgvW gives it back: quotes are escaped, and backslashes before them. */
static WCHAR *append(WCHAR *into, const WCHAR *argument) {
  *into++ = L'"';
  for (;; argument++) {
    size_t slashes = wcsspn(argument, L"\\");
    argument += slashes;
    for (size_t more = *argument == 0 || *argument == L'"' ? 2 * slashes : slashes; more > 0; more--) *into++ = L'\\';
    if (*argument == 0) break;
    if (*argument == L'"') *into++ = L'\\';
    *into++ = *argument;
  }
  *into++ = L'"';
  *into = 0;
  return into;
}

int wmain(int argc, WCHAR **argv) {
  SERVICE_TABLE_ENTRYW table[] = {{L"", serve}, {NULL, NULL}};
  size_t length = 0;
  WCHAR *end = command;
  if (argc > 1 && wcscmp(argv[1], L"--once") == 0) once = TRUE, argv++, argc--;
  for (int index = 4; index < argc; index++) length += 2 * wcslen(argv[index]) + 3;
  if (argc < 5 || length >= MOST_COMMAND || wcslen(argv[3]) > MAX_PATH - 4) {
    fputs("Usage: causeway-host.exe [--once] NAME SETTINGS LOG COMMAND...\n", stderr);
    return 2;
  }
  name = argv[1], settings = argv[2], logfile = argv[3];
  for (int index = 4; index < argc; index++) {
    if (index > 4) *end++ = L' ';
    end = append(end, argv[index]);
  }
  InitializeCriticalSection(&logging);
  stopping = CreateEventW(NULL, TRUE, FALSE, NULL);
  if (StartServiceCtrlDispatcherW(table)) return 0;
  if (GetLastError() != ERROR_FAILED_SERVICE_CONTROLLER_CONNECT) return 1;
  CreateThread(NULL, 0, watch_input, NULL, 0, NULL);
  return (int)run();
}
