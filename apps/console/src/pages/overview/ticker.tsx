import { useQuery } from '@tanstack/react-query';
import { Pause, Play, Radio } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useHearing } from '../../api/live.ts';
import { usePersonal } from '../../api/personal.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { EventLine } from '../events/event-line.tsx';

const everyMs = 3_000;
const shown = 14;

/** Live events. They can be paused for reading. */
export function Ticker(): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const [held, setHeld] = useState(false);
  const asked = asking('listEvents', { params: { workspace }, query: { limit: shown, ...usePersonal() } });
  const askEveryMs = useHearing(['moved', 'decision'], everyMs, async () => held || events.refetch());
  const events = useQuery({ ...asked, refetchInterval: held ? false : askEveryMs });
  const hold = (): void => {
    setHeld(!held);
    if (held) void events.refetch();
  };
  const Sign = held ? Play : Pause;
  return (
    <Panel
      title={t('overview.live')}
      flush
      tools={
        <Button small look="quiet" aria-pressed={held} onClick={hold}>
          <Sign aria-hidden className="size-3.5" />
          {held ? t('overview.goOn') : t('overview.hold')}
        </Button>
      }
    >
      <Asked of={events} rows={8}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty sign={Radio} title={t('overview.quiet')}>
              {t('overview.quietHint')}
            </Empty>
          ) : (
            <ul className="pb-2 text-sm">
              {items.map((event) => (
                <li key={event.id}>
                  <EventLine event={event}>
                    <span className="truncate font-medium">{event.client ?? '–'}</span>
                  </EventLine>
                </li>
              ))}
            </ul>
          )
        }
      </Asked>
    </Panel>
  );
}
