import type { ReactElement, ReactNode } from 'react';
import type { ApiProblem } from '../api/api-problem.ts';
import { Button } from './button.tsx';
import { DialogEnd } from './dialog-end.tsx';
import { Dialog } from './dialog.tsx';

interface ConfirmProps {
  readonly title: string;
  readonly act: string;
  readonly danger?: boolean;
  readonly busy: boolean;
  readonly problem: ApiProblem | null;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** Asks for confirmation before an irreversible operation. */
export function Confirm(props: ConfirmProps): ReactElement {
  return (
    <Dialog title={props.title} onClose={props.onClose}>
      <div className="flex flex-col gap-4 text-sm">
        <div className="text-soft">{props.children}</div>
        <DialogEnd problem={props.problem} onCancel={props.onClose}>
          <Button look={props.danger === true ? 'danger' : 'main'} busy={props.busy} onClick={props.onConfirm}>
            {props.act}
          </Button>
        </DialogEnd>
      </div>
    </Dialog>
  );
}
