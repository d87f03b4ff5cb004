import { expect, it } from 'vitest';
import { postgresLogTail } from '../../../src/platform/database/embedded/postgres-log-tail.ts';

const at = '2026-11-27 07:52:08.115 UTC [21096]';
const refused = [
  `${at} FATAL:  the database system is not yet accepting connections`,
  `${at} DETAIL:  Consistent recovery state has not been yet reached.`,
  `${at} FATAL:  the database system is starting up`,
  `${at} FATAL:  the database system is in recovery mode`,
  `${at} FATAL:  the database system is not accepting connections`,
  `${at} FATAL:  the database system is shutting down`,
];
const why = `${at} FATAL:  could not write to file "pg_wal/xlogtemp.20882": No space left on device`;
const detail = `${at} DETAIL:  of what ended it`;

it('the log tail omits rejected connections, so that the reason of the end stays visible', () => {
  const many = Array.from({ length: 100 }, () => refused).flat();
  expect(postgresLogTail([...many, why, detail, ...many, ''].join('\n'), 300)).toBe(`${why}\n${detail}`);
});

it('the log tail begins with a whole line', () => {
  expect(postgresLogTail(`${detail}\n${why}\n`, why.length + 10)).toBe(why);
});
