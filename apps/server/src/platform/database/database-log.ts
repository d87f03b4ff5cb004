/** Where the database's parts say what they do: the part of a pino logger that they use. */
export interface DatabaseLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** For callers that have nobody to tell: tests, and commands that only print their result. */
export const silentLog: DatabaseLog = { info: () => {}, warn: () => {}, error: () => {} };
