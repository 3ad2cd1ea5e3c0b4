import { Button, FileButton } from '@mantine/core';
import { useRef, type ReactNode } from 'react';
import { useText } from '../../../i18n/use-text.ts';
import { FactsFileError, readFactsFile, type FactsFile } from './facts-file.ts';

export interface OpenFileButtonProps {
  label: string;
  onRead: (file: FactsFile) => void;
  /** Called with a sentence that names the file and the remedy. */
  onFault: (sentence: string) => void;
}

/** Opens saved facts; asks no server. */
export function OpenFileButton({ label, onRead, onFault }: OpenFileButtonProps): ReactNode {
  const text = useText();
  const reset = useRef<() => void>(null);
  const open = async (file: File | null): Promise<void> => {
    if (file === null) return;
    // The same file can be chosen again after a repair.
    reset.current?.();
    try {
      onRead(await readFactsFile(file));
    } catch (error) {
      if (!(error instanceof FactsFileError)) throw error;
      onFault(text(`facts.file.${error.fault}`, { name: file.name, at: error.at }));
    }
  };
  return (
    <FileButton resetRef={reset} accept="application/json,.json,text/html,.html" onChange={(file) => void open(file)}>
      {(props) => (
        <Button {...props} variant="default">
          {label}
        </Button>
      )}
    </FileButton>
  );
}
