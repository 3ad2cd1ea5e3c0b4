/** Keeps one broken screen from taking the whole window with it. */
import { Component, type ComponentType, type ErrorInfo, type ReactNode } from 'react';

export interface FallbackProps {
  onRetry: () => void;
}

interface Props {
  /** A change of this, for instance of the address, tries again. */
  resetKey: string;
  fallback: ComponentType<FallbackProps>;
  children: ReactNode;
}

interface State {
  failed: boolean;
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { failed: false };

  static getDerivedStateFromError(): State {
    return { failed: true };
  }

  override componentDidCatch(error: Error, info: ErrorInfo): void {
    console.error('A screen could not be drawn.', error, info.componentStack);
  }

  override componentDidUpdate(before: Props): void {
    if (this.state.failed && before.resetKey !== this.props.resetKey) this.setState({ failed: false });
  }

  override render(): ReactNode {
    const { fallback: Fallback, children } = this.props;
    return this.state.failed ? <Fallback onRetry={() => this.setState({ failed: false })} /> : children;
  }
}
