/** The part of a pino logger that the database modules use. */
export interface DatabaseLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For callers without a log: tests, and commands that only print their result. */
export const silentLog: DatabaseLog = { info: () => {}, warn: () => {}, error: () => {} };
