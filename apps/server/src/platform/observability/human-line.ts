import { styleText } from 'node:util';

const colours = { fatal: 'red', error: 'red', warn: 'yellow', info: 'green', debug: 'gray', trace: 'gray' } as const;
const levelWidth = 5;
const own = new Set(['level', 'time', 'process', 'msg', 'err']);

/** A JSON log line formatted for people: `14:05:09 info  listening host=127.0.0.1 port=8080`. */
export function humanLine(line: string): string {
  const fields = parse(line);
  if (fields === undefined) return line;
  const level = String(fields['level']);
  const colour = Object.hasOwn(colours, level) ? colours[level as keyof typeof colours] : 'gray';
  const time = String(fields['time']).slice(11, 19);
  const rest = Object.entries(fields)
    .filter(([key]) => !own.has(key))
    .map(([key, value]) => ` ${paint('gray', `${key}=`)}${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return `${paint('gray', time)} ${paint(colour, level.padEnd(levelWidth))} ${textOf(fields['msg'])}${rest.join('')}\n${errorLines(fields['err'])}`;
}

type Colour = (typeof colours)[keyof typeof colours];

function paint(colour: Colour, text: string): string {
  return styleText(colour, text, { stream: process.stderr });
}

function textOf(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function parse(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

function errorLines(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const { stack, cause } = error as { readonly stack?: string; readonly cause?: unknown };
  const lines = (stack ?? '').split('\n').map((line) => `         ${line}`);
  return `${paint('gray', lines.join('\n'))}\n${cause === undefined ? '' : errorLines(cause)}`;
}
