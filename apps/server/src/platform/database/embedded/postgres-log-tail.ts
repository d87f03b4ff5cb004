/**
 * Logged for each of our own connections that comes too early or too late; dozens of them hide why the server ended.
 */
const refusal =
  /^.* FATAL: {2}the database system is (?:starting up|shutting down|in recovery mode|not (?:yet )?accepting connections)$/u;
/** Continuation lines of the previous message. */
const more = /^.* (?:DETAIL|HINT): {2}/u;

/** The last whole lines of a server's log within `lengthMax` characters, without those about rejected connections. */
export function postgresLogTail(said: string, lengthMax: number): string {
  let isRefused = false;
  const lines = said.split('\n').filter((line) => {
    isRefused = refusal.test(line) || (isRefused && more.test(line));
    return !isRefused;
  });
  const text = lines.join('\n');
  const tail = text.slice(-lengthMax);
  return (text.length > lengthMax ? tail.slice(tail.indexOf('\n') + 1) : tail).trim();
}
