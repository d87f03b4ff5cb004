import type { About } from '../reference/about.ts';
import type { Signal } from '../signal.ts';

export const about: About = {
  what: 'Traits of the JavaScript engine: how it prints a built-in function, and the text of an error.',
  purpose: 'Distinguishes engines independently of the user agent.',
  stability: 'browser',
  schema: {
    type: 'object',
    properties: { functionLength: { type: 'integer', minimum: 0 }, message: { type: 'string', maxLength: 512 } },
    required: ['functionLength', 'message'],
  },
  source: 'https://tc39.es/ecma262/#sec-function.prototype.tostring',
};

export function engine(): Signal<{ readonly functionLength: number; readonly message: string }> {
  return { value: { functionLength: String(parseFloat).length, message: wordingOf(-1) } };
}

/** An error whose text contains no variable name: the bundler renames variables in each version. */
function wordingOf(length: number): string {
  try {
    return (-1).toFixed(length);
  } catch (error) {
    return (error as Error).message;
  }
}
