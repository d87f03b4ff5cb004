import type { AbsentReason } from '../signal.ts';

/** In the words of the reference page. */
export const absentReasons: Readonly<Record<AbsentReason, string>> = {
  unsupported: 'The browser has no such interface, or has nothing to say through it.',
  blocked: 'The interface is there and refuses: a policy, a setting, protection against tracking.',
  timeout: 'No answer within the limit.',
  failed: 'The interface threw, or gave what it never gives: a page or a tool may have changed it.',
  tooLarge: 'The value would not fit into the token.',
};
