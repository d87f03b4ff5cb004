import {
  CreditCard,
  FileText,
  Fingerprint,
  type LucideIcon,
  MapPin,
  MonitorSmartphone,
  UserRound,
  WalletCards,
} from 'lucide-react';
import type { Entity } from '../../api/operations.generated.ts';

export type EntityKind = Entity['kind'];

/** Every kind of entity, in the order of their usual use. */
export const entityKinds = [
  'client',
  'session',
  'device',
  'ip',
  'account',
  'payee',
  'reference',
] as const satisfies readonly EntityKind[];

export const entitySigns: Readonly<Record<EntityKind, LucideIcon>> = {
  client: UserRound,
  session: Fingerprint,
  device: MonitorSmartphone,
  ip: MapPin,
  account: WalletCards,
  payee: CreditCard,
  reference: FileText,
};
