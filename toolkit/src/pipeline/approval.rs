//! The gate's last question: where the rules ask for a person, one is asked about exactly what would
//! run.

use std::borrow::Cow;
use std::sync::Arc;

use tokio::time::Instant;

use super::execute::unless_cancelled;
use super::{Engine, Trail, hex_digest};
use crate::approval::{Answer, ApprovalRequest, Approver};
use crate::call::{Code, ToolReply};
use crate::contain::{Unwound, contain, contained, said};
use crate::event::{ApprovalRecord, Event};
use crate::registry::Entry;

impl Engine {
    /// Asks a person about exactly what would run.
    pub(super) async fn approval(
        &self,
        trail: &mut Trail<'_>,
        entry: &Arc<Entry>,
    ) -> Result<(), Box<ToolReply>> {
        let spec = entry.spec();
        let refuse = |code, what: &str| {
            Box::new(ToolReply::not_run(code, format!("`{}` was not run: {what}", spec.name())))
        };
        // One that can't even say whether it is there isn't.
        let approver = self.approver.as_deref().filter(|approver: &&dyn Approver| {
            contain(|| approver.available()).unwrap_or_default()
        });
        let Some(approver) = approver else {
            return Err(refuse(
                Code::NoApprover,
                "a person must approve it, and nobody can be asked here; don't retry, say so",
            ));
        };
        let request = self.request(trail, entry);
        let binding = trail.binding();
        let answer = |answer: Option<Cow<'static, str>>| ApprovalRecord {
            call: request.call.as_str().into(),
            tool: spec.name().into(),
            digest: request.digest.as_str().into(),
            rule: Cow::Owned(request.rule.clone()),
            answer,
        };
        self.emit(&Event::ApprovalRequested(Arc::new(answer(None)))).await;
        let asked = Instant::now();
        // Inside a future of its own, since making the approver's may panic as well.
        let answered = contained(Box::pin(async {
            tokio::time::timeout(request.time, approver.ask(&request)).await
        }));
        let answered = match unless_cancelled(trail.context, answered).await {
            None => Answered::Cancelled,
            Some(Ok(Ok(Ok(answer)))) => Answered::By(answer),
            Some(Ok(Ok(Err(error)))) => {
                Answered::Fault(format!("the approver failed: {}", said(&*error)))
            }
            Some(Ok(Err(_))) => Answered::Expired,
            Some(Err(Unwound(panic))) => Answered::Fault(format!("the approver {panic}")),
        };
        trail.waited += asked.elapsed();
        let word = answered.word();
        self.emit(&Event::ApprovalDecided(Arc::new(answer(Some(Cow::Borrowed(word)))))).await;
        match answered {
            Answered::By(Answer::Approve) => {
                trail.approved = Some(binding);
                Ok(())
            }
            Answered::By(Answer::Deny(reason)) => {
                let reason = reason
                    .map_or(String::new(), |r| format!(": {}", crate::text::excerpt(&r, 300)));
                Err(refuse(
                    Code::Rejected,
                    &format!("a person said no{reason}; don't try it again"),
                ))
            }
            Answered::Expired => {
                let time = super::render::seconds(request.time);
                Err(refuse(Code::Expired, &format!("nobody answered within {time}")))
            }
            Answered::Cancelled => Err(refuse(
                Code::CancelledBeforeStart,
                "the call was cancelled while a person was asked",
            )),
            Answered::Fault(cause) => {
                trail.cause = Some(Cow::Owned(cause));
                Err(refuse(Code::Denied, "asking a person for approval failed"))
            }
        }
    }

    fn request(&self, trail: &mut Trail<'_>, entry: &Entry) -> ApprovalRequest {
        let (spec, context) = (entry.spec(), trail.context);
        let call = trail.id(&self.minter);
        let arguments = trail.shown();
        let rule = trail.decision.deciding().map(|f| format!("{}: {}", f.source, f.reason));
        ApprovalRequest {
            call: call.as_ref().to_owned(),
            tool: spec.name().to_owned(),
            title: spec.title().map(str::to_owned),
            description: spec.description().to_owned(),
            risk: spec.risk(),
            origin: context.origin(),
            principal: context.principal_name().map(str::to_owned),
            session: context.session_id().map(str::to_owned),
            digest: hex_digest(arguments.as_bytes()),
            arguments,
            repairs: trail.repairs.clone(),
            rule: rule.unwrap_or_default(),
            time: self.policy.approval_time_of(context.origin(), spec.risk()),
        }
    }
}

enum Answered {
    By(Answer),
    Expired,
    Cancelled,
    Fault(String),
}

impl Answered {
    fn word(&self) -> &'static str {
        match self {
            Self::By(Answer::Approve) => "approved",
            Self::By(Answer::Deny(_)) => "rejected",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
            Self::Fault(_) => "failed",
        }
    }
}
