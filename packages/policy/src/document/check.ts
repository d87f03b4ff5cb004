import { Params } from '../check/params.ts';
import { Mistakes } from './mistakes.ts';

/** What all files share that are checked together. */
export interface Check {
  readonly mistakes: Mistakes;
  /** What `params.name` means in them. */
  readonly params: Params;
}

export function newCheck(): Check {
  return { mistakes: new Mistakes(), params: new Params() };
}
