import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { EventDetail, Hold } from '../../api/operations.generated.ts';
import { useHearing } from '../../api/live.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Panel } from '../../parts/panel.tsx';
import { HoldCard } from './hold-card.tsx';

/** Polling interval without a stream. */
const everyMs = 3_000;
const none: readonly Hold[] = [];

/** The open holds of a client; `undefined` while they load. */
export function useHeldOf(clientRef: string | undefined): readonly Hold[] | undefined {
  const query = { state: 'open' as const, clientRef: clientRef ?? '', ...usePersonal() };
  const enabled = clientRef !== undefined;
  const refetchInterval = useHearing(['hold'], everyMs, async () => enabled && found.refetch());
  const found = useQuery({
    ...asking('listHolds', { params: { workspace: useWorkspaceName() }, query }),
    refetchInterval,
    enabled,
  });
  return found.isLoading ? undefined : (found.data?.items ?? none);
}

/** The hold that an operation belongs to, open or ended; nothing if there is none. */
export function HoldOfEvent({ event }: { readonly event: EventDetail }): ReactElement | null {
  const { id: name, actions } = event;
  const params = { workspace: useWorkspaceName() };
  const query = { event: name, ...usePersonal() };
  const enabled = event.kind === 'operation' && actions.length > 0;
  const refetchInterval = useHearing(['hold'], everyMs, async () => enabled && open.refetch());
  const open = useQuery({
    ...asking('listHolds', { params, query: { ...query, state: 'open' } }),
    refetchInterval,
    enabled,
  });
  const isEnded = open.data !== undefined && open.data.items.length === 0;
  const ended = useQuery({
    ...asking('listHolds', { params, query: { ...query, state: 'ended' } }),
    enabled: enabled && isEnded,
  });
  return <HeldPayments holds={isEnded ? (ended.data?.items ?? none) : (open.data?.items ?? none)} />;
}

/** Held payments on the page of an event or an alert. */
export function HeldPayments({ holds }: { readonly holds: readonly Hold[] }): ReactElement | null {
  const { t } = useTranslation();
  if (holds.length === 0) return null;
  const isOpen = holds.some(({ state }) => state === 'open');
  return (
    <Panel title={t('section.holds')} hint={isOpen ? t('holds.isHeld') : undefined} flush>
      <ul className="divide-y divide-line">
        {holds.map((hold) => (
          <li key={hold.id}>
            <HoldCard hold={hold} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
