import {
  Activity,
  BellRing,
  Hourglass,
  ListChecks,
  ListTree,
  type LucideIcon,
  PlugZap,
  ScrollText,
  Send,
  Settings,
  ShieldCheck,
} from 'lucide-react';
import { type Right, useRights } from '../api/use-workspace.ts';

interface Section {
  readonly to: string;
  readonly name: string;
  /** The key after `g`. */
  readonly key: string;
  readonly sign: LucideIcon;
  readonly exact: boolean;
  /** The right that the page requires; absent: none. */
  readonly needs?: Right;
}

/** The pages of a workspace, in the order of the navigation. */
const sections = [
  { to: '/w/$workspace', name: 'overview', key: 'o', sign: Activity, exact: true },
  { to: '/w/$workspace/alerts', name: 'alerts', key: 'a', sign: BellRing, exact: false },
  { to: '/w/$workspace/holds', name: 'holds', key: 'h', sign: Hourglass, exact: false },
  { to: '/w/$workspace/events', name: 'events', key: 'e', sign: ListTree, exact: false },
  { to: '/w/$workspace/policy', name: 'policy', key: 'p', sign: ScrollText, exact: false },
  { to: '/w/$workspace/lists', name: 'lists', key: 'l', sign: ListChecks, exact: false },
  { to: '/w/$workspace/deliveries', name: 'deliveries', key: 'd', sign: Send, exact: false },
  { to: '/w/$workspace/integration', name: 'integration', key: 'i', sign: PlugZap, exact: false },
  { to: '/w/$workspace/audit', name: 'audit', key: 'u', sign: ShieldCheck, exact: false, needs: 'administer' },
  { to: '/w/$workspace/settings', name: 'settings', key: 's', sign: Settings, exact: false },
] as const satisfies readonly Section[];

/** The pages that this user may see. */
export function useSections(): readonly (typeof sections)[number][] {
  const rights = useRights();
  return sections.filter((section) => !('needs' in section) || rights.includes(section.needs));
}
