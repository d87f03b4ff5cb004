import { Problem } from '@ringfence/contract';

/** A failed authentication, which must be recorded in the audit log. */
export class RefusedLogIn extends Problem {}
