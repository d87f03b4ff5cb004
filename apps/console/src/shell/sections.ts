import {
  Activity,
  BellRing,
  ListChecks,
  ListTree,
  type LucideIcon,
  PlugZap,
  ScrollText,
  Send,
  Settings,
  ShieldCheck,
} from 'lucide-react';

/** The pages of a workspace, in the order of the side, each with the key that follows `g`. */
export const sections = [
  { to: '/w/$workspace', name: 'overview', key: 'o', sign: Activity, exact: true },
  { to: '/w/$workspace/alerts', name: 'alerts', key: 'a', sign: BellRing, exact: false },
  { to: '/w/$workspace/events', name: 'events', key: 'e', sign: ListTree, exact: false },
  { to: '/w/$workspace/policy', name: 'policy', key: 'p', sign: ScrollText, exact: false },
  { to: '/w/$workspace/lists', name: 'lists', key: 'l', sign: ListChecks, exact: false },
  { to: '/w/$workspace/deliveries', name: 'deliveries', key: 'd', sign: Send, exact: false },
  { to: '/w/$workspace/integration', name: 'integration', key: 'i', sign: PlugZap, exact: false },
  { to: '/w/$workspace/audit', name: 'audit', key: 'u', sign: ShieldCheck, exact: false },
  { to: '/w/$workspace/settings', name: 'settings', key: 's', sign: Settings, exact: false },
] as const satisfies readonly {
  readonly to: string;
  readonly name: string;
  readonly key: string;
  readonly sign: LucideIcon;
  readonly exact: boolean;
}[];
