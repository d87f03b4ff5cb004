export type { PublicJwk, PublicJwkSet } from './token/recipient.ts';
