/** Told to each of our own connections that is too early or too late; dozens of them hide why the server ended. */
const refusal =
  /^.* FATAL: {2}the database system is (?:starting up|shutting down|in recovery mode|not (?:yet )?accepting connections)$/u;
/** Of the line before. */
const more = /^.* (?:DETAIL|HINT): {2}/u;

/** What a server said of itself: its last whole lines within so many bytes, without those that only turned a connection away. */
export function saidOfItself(said: string, lengthMax: number): string {
  let isRefused = false;
  const lines = said.split('\n').filter((line) => {
    isRefused = refusal.test(line) || (isRefused && more.test(line));
    return !isRefused;
  });
  const text = lines.join('\n');
  const tail = text.slice(-lengthMax);
  return (text.length > lengthMax ? tail.slice(tail.indexOf('\n') + 1) : tail).trim();
}
