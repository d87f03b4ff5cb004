import type { AbsentReason } from '../signal.ts';

/** The texts of the reference page. */
export const absentReasons: Readonly<Record<AbsentReason, string>> = {
  unsupported: 'The browser does not have the interface, or the interface returns nothing.',
  blocked: 'The interface exists but refuses: a policy, a setting, protection against tracking.',
  timeout: 'No answer within the limit.',
  failed: 'The interface threw, or returned an impossible value: a page or a tool may have changed it.',
  tooLarge: 'The value would not fit into the token.',
};
