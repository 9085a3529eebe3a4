-- Looks at every task and request, beside those who read and write them.
ALTER TABLE task VALIDATE CONSTRAINT task_gate_check;
ALTER TABLE task VALIDATE CONSTRAINT task_is_watched;
ALTER TABLE task VALIDATE CONSTRAINT task_gate_holds;
ALTER TABLE task VALIDATE CONSTRAINT task_gate_is_bound;
ALTER TABLE input_request VALIDATE CONSTRAINT input_request_origin_check;
