import { Problem } from '@ringfence/contract';

/** Somebody could not prove who they are, which belongs into the audit log. */
export class RefusedLogIn extends Problem {}
