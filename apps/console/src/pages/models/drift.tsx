import { useQuery } from '@tanstack/react-query';
import type { ReactElement } from 'react';
import { useTranslation } from 'react-i18next';
import type { ModelDrift, ModelDriftArtifact } from '../../api/operations.generated.ts';
import { asking } from '../../api/use-api.ts';
import { useWorkspaceName } from '../../api/use-workspace.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Badge, type Tone } from '../../parts/badge.tsx';
import { Panel } from '../../parts/panel.tsx';
import { DataTable } from './data-table.tsx';

const everyMs = 60_000;
const daysShown = 7;

interface DriftProps {
  readonly model: string;
  /** Of the file that the draft names. */
  readonly sha256: string;
}

/** How far what a model reads and says has moved from its training, by day. */
export function Drift({ model, sha256 }: DriftProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const drift = useQuery(asking('readModelDrift', { params: { workspace, model } }, everyMs));
  return (
    <Panel title={t('models.drift', { name: model })} hint={t('models.driftHint')}>
      <div className="text-sm">
        <Asked of={drift}>
          {(answer) => {
            const artifact = answer.artifacts.find((one) => one.sha256 === sha256) ?? answer.artifacts[0];
            return artifact === undefined ? (
              <p className="text-soft">{t('models.noDrift')}</p>
            ) : (
              <DriftTable artifact={artifact} bounds={answer} />
            );
          }}
        </Asked>
      </div>
    </Panel>
  );
}

interface DriftTableProps {
  readonly artifact: ModelDriftArtifact;
  readonly bounds: Pick<ModelDrift, 'warning' | 'alarm'>;
}

function DriftTable({ artifact, bounds }: DriftTableProps): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const days = [...new Set(artifact.inputs.flatMap((input) => input.days.map(({ day }) => day)))]
    .toSorted()
    .slice(-daysShown);
  const toneOf = (index: number): Tone => (index >= bounds.alarm ? 'bad' : index >= bounds.warning ? 'warn' : 'good');
  const cell = (input: ModelDriftArtifact['inputs'][number], day: string): ReactElement => {
    const found = input.days.find((one) => one.day === day);
    if (found?.index === undefined)
      return (
        <span className="text-soft" title={t('models.driftFew')}>
          {found === undefined ? '–' : formats.number(found.values)}
        </span>
      );
    const shown = formats.number(Math.round(found.index * 1_000) / 1_000);
    const tone = toneOf(found.index);
    return (
      <Badge tone={tone} title={t('models.driftValues', { values: formats.number(found.values) })}>
        {tone === 'good' ? shown : `${shown} ${t(tone === 'bad' ? 'models.driftAlarm' : 'models.driftWarning')}`}
      </Badge>
    );
  };
  return (
    <DataTable
      title={t('models.driftByDay')}
      hint={t('models.driftBounds', { warning: formats.number(bounds.warning), alarm: formats.number(bounds.alarm) })}
      columns={[t('models.input'), ...days.map((day) => formats.day(`${day}T12:00:00Z`))]}
      rows={artifact.inputs.map((input) => [
        input.input ?? t('models.driftResult'),
        ...days.map((day) => cell(input, day)),
      ])}
    />
  );
}
