import { Params } from '../check/params.ts';
import { Mistakes } from './mistakes.ts';

/** State shared by all files that are checked together. */
export interface Check {
  readonly mistakes: Mistakes;
  /** The values of `params.name` in them. */
  readonly params: Params;
}

export function newCheck(): Check {
  return { mistakes: new Mistakes(), params: new Params() };
}
