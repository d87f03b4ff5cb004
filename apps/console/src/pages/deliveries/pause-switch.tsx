import { Pause as PauseSign, Play } from 'lucide-react';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { Pause } from '../../api/operations.generated.ts';
import { useDoing } from '../../api/use-api.ts';
import { useRight, useSession, useWorkspaceName } from '../../api/use-workspace.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { useNotices } from '../../parts/notices.tsx';

interface PauseSwitchProps {
  /** The pauses in effect for this workspace. */
  readonly pauses: readonly Pause[];
}

/** Pauses and resumes sending of this workspace or of the whole installation. */
export function PauseSwitch({ pauses }: PauseSwitchProps): ReactElement {
  const mayHere = useRight('administer');
  const mayEverywhere = useSession().installation.includes('administer');
  const isPaused = (wanted: Pause['scope']): boolean => pauses.some(({ scope }) => scope === wanted);
  return (
    <>
      {mayHere ? <WorkspaceSwitch isPaused={isPaused('workspace')} /> : null}
      {mayEverywhere ? <InstallationSwitch isPaused={isPaused('all')} /> : null}
    </>
  );
}

const changed = ['readIntegration'] as const;

function WorkspaceSwitch({ isPaused }: { readonly isPaused: boolean }): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const params = { workspace: useWorkspaceName() };
  const failed = ({ message }: Error): void => notices.warn(message);
  const pause = useDoing('pauseWorkspace', changed, { done: () => notices.say(t('deliveries.paused'), go), failed });
  const resume = useDoing('resumeWorkspace', changed, { done: () => notices.say(t('deliveries.resumed')), failed });
  const go = (): void => resume.mutate({ params });
  return isPaused ? (
    <Button small look="main" busy={resume.isPending} onClick={go}>
      <Play aria-hidden className="size-3.5" />
      {t('deliveries.resume')}
    </Button>
  ) : (
    <Button small busy={pause.isPending} onClick={() => pause.mutate({ params })}>
      <PauseSign aria-hidden className="size-3.5" />
      {t('deliveries.pause')}
    </Button>
  );
}

/** Asks for confirmation: it affects every bank of the installation. */
function InstallationSwitch({ isPaused }: { readonly isPaused: boolean }): ReactElement {
  const { t } = useTranslation();
  const notices = useNotices();
  const [asked, setAsked] = useState(false);
  const close = (): void => setAsked(false);
  const pause = useDoing('pauseAll', changed, { done: () => notices.say(t('deliveries.paused')) });
  const resume = useDoing('resumeAll', changed, { done: () => notices.say(t('deliveries.resumed')) });
  const doing = isPaused ? resume : pause;
  const name = t(isPaused ? 'deliveries.resumeAll' : 'deliveries.pauseAll');
  const Sign = isPaused ? Play : PauseSign;
  return (
    <>
      <Button small look={isPaused ? 'main' : 'plain'} onClick={() => setAsked(true)}>
        <Sign aria-hidden className="size-3.5" />
        {name}
      </Button>
      {asked ? (
        <Confirm
          title={name}
          act={name}
          danger={!isPaused}
          busy={doing.isPending}
          problem={doing.error}
          onConfirm={() => doing.mutate({}, { onSuccess: close })}
          onClose={close}
        >
          {t(isPaused ? 'deliveries.resumeAllMeaning' : 'deliveries.pauseAllMeaning')}
        </Confirm>
      ) : null}
    </>
  );
}
