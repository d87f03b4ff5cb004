import type { Operation } from '@ringfence/contract';

/** The payee: bank and account number of `accountTo`, else of `creditTo`. */
export function payeeOf({ accountTo, creditTo }: Operation): string | undefined {
  if (accountTo?.accountNumber !== undefined) return `${accountTo.bank ?? ''}/${accountTo.accountNumber}`;
  return creditTo?.account === undefined ? undefined : `${creditTo.bank ?? ''}/${creditTo.account}`;
}
