import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Download, GitCompareArrows, Trash2 } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { ApiProblem } from '../../api/api-problem.ts';
import { call } from '../../api/call.ts';
import type { Training, TrainingWithResult } from '../../api/operations.generated.ts';
import { asking, useDoing } from '../../api/use-api.ts';
import { useRight, useWorkspaceName } from '../../api/use-workspace.ts';
import { saveText } from '../../format/save-text.ts';
import { useFormats } from '../../format/use-formats.ts';
import { Asked } from '../../parts/asked.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useNotices } from '../../parts/notices.tsx';
import { Panel } from '../../parts/panel.tsx';
import { ProgressBar } from '../../parts/progress-bar.tsx';
import { CompareForm } from './compare-form.tsx';
import { ComparedModels } from './compared-models.tsx';
import { TrainingReport } from './training-report.tsx';

const everyMs = 500;

export interface ModelFile {
  readonly text: string;
  readonly sha256: string;
}

interface TrainingDetailProps {
  readonly id: number;
  /** Models that the draft declares. */
  readonly known: readonly string[];
  /** Writes the model into the draft; absent where nothing may be written. */
  readonly onUse: ((model: string, file: ModelFile) => void) | undefined;
}

/** One training or comparison: its progress, then its result, and what can be done with the model. */
export function TrainingDetail({ id, known, onUse }: TrainingDetailProps): ReactElement {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const training = useQuery({
    ...asking('readTraining', { params: { workspace, training: id } }),
    refetchInterval: ({ state }) => (state.data === undefined || state.data.state === 'running' ? everyMs : false),
  });
  return (
    <Asked of={training}>
      {(one) => (
        <Panel
          title={
            one.purpose === 'training'
              ? `${t('models.purpose.training')} ${id}: ${one.model}`
              : t('models.comparedOf', { id, model: one.model })
          }
          tools={<Tools training={one} {...(known.includes(one.model) && onUse !== undefined ? { onUse } : {})} />}
        >
          {one.result === undefined ? <Running training={one} /> : <Result training={one} />}
        </Panel>
      )}
    </Asked>
  );
}

function Running({
  training: { id, state, phase, done, total, error },
}: {
  readonly training: Training;
}): ReactElement {
  const { t } = useTranslation();
  const formats = useFormats();
  const workspace = useWorkspaceName();
  const mayTrain = useRight('write');
  const cancel = useDoing('cancelTraining', ['readTraining', 'listTrainings']);
  if (state !== 'running') return <p className="text-sm text-bad">{error ?? t(`backtest.state.${state}`)}</p>;
  const of = { done: formats.number(done), total: formats.number(total) };
  return (
    <div className="flex flex-col gap-2 text-sm">
      <ProgressBar label={t('models.purpose.training')} done={done} total={total} isWide />
      <p className="text-soft" role="status">
        {phase === undefined || total === 0
          ? t('models.phaseWaiting')
          : t(phase === 'trees' ? 'models.phaseTrees' : 'models.phaseEvents', of)}
      </p>
      {mayTrain ? (
        <div>
          <Button small busy={cancel.isPending} onClick={() => cancel.mutate({ params: { workspace, training: id } })}>
            {t('act.cancel')}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function Result({ training: { purpose, result } }: { readonly training: TrainingWithResult }): ReactElement {
  const { t } = useTranslation();
  const { report, card, comparison } = result!;
  return (
    <div className="flex flex-col gap-6 text-sm">
      {report === undefined || card === undefined ? null : <TrainingReport report={report} card={card} />}
      {comparison === undefined ? (
        <p className="text-soft">{purpose === 'training' ? t('models.noCompared') : null}</p>
      ) : (
        <ComparedModels comparison={comparison} />
      )}
    </div>
  );
}

interface ToolsProps {
  readonly training: Training;
  readonly onUse?: (model: string, file: ModelFile) => void;
}

function Tools({ training: { id, purpose, model, state, history }, onUse }: ToolsProps): ReactElement | null {
  const { t } = useTranslation();
  const workspace = useWorkspaceName();
  const mayTrain = useRight('write');
  const navigate = useNavigate({ from: '/w/$workspace/policy' });
  const [asked, setAsked] = useState<'compare' | 'remove'>();
  const close = (): void => setAsked(undefined);
  const notices = useNotices();
  const remove = useDoing('removeTraining', ['listTrainings']);
  const params = { workspace, training: id };
  if (state === 'running') return null;
  const isModel = purpose === 'training' && state === 'done';
  const withFile = (act: (file: ModelFile) => void) => (): void =>
    void call('readModelFile', { params }).then(act, ({ message }: ApiProblem) => notices.warn(message));
  return (
    <>
      {isModel && onUse !== undefined ? (
        <Button small look="main" onClick={withFile((file) => onUse(model, file))}>
          {t('models.use')}
        </Button>
      ) : null}
      {isModel && mayTrain ? (
        <Button small onClick={() => setAsked('compare')}>
          <GitCompareArrows aria-hidden className="size-3.5" />
          {t('models.compare')}
        </Button>
      ) : null}
      {isModel ? (
        <Button
          small
          look="quiet"
          onClick={withFile((file) => saveText(`${model}.json`, file.text, 'application/json'))}
        >
          <Download aria-hidden className="size-3.5" />
          {t('models.download')}
        </Button>
      ) : null}
      {mayTrain ? (
        <Button small look="quiet" onClick={() => setAsked('remove')}>
          <Trash2 aria-hidden className="size-3.5" />
          {t('models.remove')}
        </Button>
      ) : null}
      {asked === 'compare' ? <CompareForm training={id} history={history} onClose={close} /> : null}
      {asked === 'remove' ? (
        <Confirm
          title={t('models.removeTitle', { id })}
          act={t('models.remove')}
          danger
          busy={remove.isPending}
          problem={remove.error}
          onClose={close}
          onConfirm={() =>
            remove.mutate(
              { params },
              { onSuccess: () => void navigate({ search: ({ training: _gone, ...rest }) => rest }) },
            )
          }
        >
          {t('models.removeHint')}
        </Confirm>
      ) : null}
    </>
  );
}
