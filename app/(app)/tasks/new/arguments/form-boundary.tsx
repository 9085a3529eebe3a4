"use client";

import { Component, type ReactNode } from "react";

/**
 * Catches errors of the form library: a schema that breaks its form must not break the page. JSON remains.
 */
export class FormBoundary extends Component<
  { children: ReactNode; onBroken: () => void },
  { broken: boolean }
> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override componentDidCatch() {
    this.props.onBroken();
  }

  override render() {
    return this.state.broken ? null : this.props.children;
  }
}
