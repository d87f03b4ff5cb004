import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { Training } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Instant } from '../../parts/instant.tsx';
import { Panel } from '../../parts/panel.tsx';

const everyMs = 5_000;
const tones: Readonly<Record<Training['state'], Tone>> = {
  running: 'cool',
  done: 'good',
  failed: 'bad',
  cancelled: 'plain',
};

interface TrainingsProps {
  /** Number of the open one. */
  readonly open: number | undefined;
}

/** Everything that was trained or compared, newest first. */
export function Trainings({ open }: TrainingsProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const trainings = useQuery(asking('listTrainings', { params: { workspace } }, everyMs));
  return (
    <Panel title={t('models.trainings')} flush>
      <Asked of={trainings}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="px-4 pb-4 text-sm text-soft">{t('models.noTrainings')}</p>
          ) : (
            <ul className="divide-y divide-line border-t border-line text-sm">
              {items.map((training) => (
                <li key={training.id}>
                  <Link
                    from="/w/$workspace/policy"
                    search={(before) => ({ ...before, training: training.id })}
                    aria-current={training.id === open ? 'true' : undefined}
                    className="flex items-center gap-2 px-4 py-2 hover:bg-sunken aria-[current=true]:bg-fence-wash"
                  >
                    <span className="font-mono text-xs">{training.id}</span>
                    <span className="min-w-0 grow">
                      {t(`models.purpose.${training.purpose}`)} <span className="font-mono">{training.model}</span>
                      <span className="block text-xs text-soft">
                        {training.author} · <Instant at={training.startedAt} />
                      </span>
                    </span>
                    <Badge tone={tones[training.state]}>{t(`models.state.${training.state}`)}</Badge>
                  </Link>
                </li>
              ))}
            </ul>
          )
        }
      </Asked>
    </Panel>
  );
}
