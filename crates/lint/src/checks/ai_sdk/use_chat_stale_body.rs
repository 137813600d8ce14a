//! A chat transport whose body is made once, of state that changes.

use agentcheck_model::hir::{BindingDef, ExprId, ExprKind, FuncId, Module, PatKind, PropKey, PropKind, RootSource};
use agentcheck_model::Loc;
use agentcheck_syntax::Place;

use crate::context::{Context, Details};
use crate::finding::Related;

pub(crate) fn check(cx: &mut Context<'_>) {
    let sites = std::sync::Arc::clone(&cx.sites);
    let module = cx.module();
    let chats: Vec<(FuncId, Place)> = sites
        .calls
        .iter()
        .filter(|call| call.name == "useChat" && call.package == "@ai-sdk/react" && call.loc.file == cx.file)
        .filter_map(|call| {
            let place = Place { file: cx.file, span: module.name_span(call.callee) };
            Some((module.enclosing_function(call.loc.expr)?, place))
        })
        .collect();
    for call in &sites.calls {
        if !call.name.ends_with("ChatTransport") || call.loc.file != cx.file {
            continue;
        }
        let around = functions_above(module, call.loc.expr);
        let Some((component, chat)) = chats.iter().find(|(component, _)| around.contains(component)) else { continue };
        let Some(options) = call.args.first() else { continue };
        let value = cx.infer.eval(call.loc.at(*options));
        let keys = cx.infer.keys(value);
        for name in ["body", "headers"] {
            let Some(key) = keys.get(name).cloned() else { continue };
            let Some(state) = changing(cx, key.value, *component) else { continue };
            let Some(verdict) = cx.judge("@ai-sdk/react", &["first-render"]) else { continue };
            let slots = vec![("name", name.to_owned()), ("state", state)];
            let related = vec![Related { place: *chat, message: "the chat that keeps the first transport".to_owned() }];
            cx.report(&verdict, key.place, Details { slots, related, ..Details::default() });
        }
    }
}

fn functions_above(module: &Module, expr: ExprId) -> Vec<FuncId> {
    std::iter::successors(module.enclosing_function(expr), |function| module.function(*function).parent).collect()
}

/// A name in an object literal that a component computes anew each time it renders: state, properties.
fn changing(cx: &Context<'_>, loc: Loc, component: FuncId) -> Option<String> {
    let module = cx.infer.module(loc.file);
    let ExprKind::Object(props) = module.expr(module.peel(loc.expr)).kind else { return None };
    module.props(props).find_map(|(_, prop)| {
        if prop.key == PropKey::None || !matches!(prop.kind, PropKind::Value | PropKind::Shorthand) {
            return None;
        }
        let name = root(module, prop.value)?;
        let ExprKind::Ident { binding: Some(binding), .. } = module.expr(name).kind else { return None };
        let own = module.binding(binding);
        let BindingDef::Pattern { pattern, .. } = own.def else { return None };
        let root = module.root(module.root_of(pattern)?);
        let is_local = module.function(component).span.contains(own.span);
        let changes = match root.source {
            RootSource::Param { function, .. } => function == component,
            // `const [tone, setTone] = useState(…)`, `const { id } = useParams()`: a hook.
            RootSource::Value(value) => {
                let is_hook = matches!(module.expr(module.peel(value)).kind, ExprKind::Call { callee, .. }
                    if module.text(module.expr(callee).span).rsplit('.').next().is_some_and(is_state_hook));
                // The first of a pair is the state, the second only sets it.
                let is_value = match module.pat(root.pattern).kind {
                    PatKind::Array(elements) => module.pats(elements).first() == Some(&pattern),
                    _ => true,
                };
                is_hook && is_value
            }
            _ => false,
        };
        (is_local && changes).then(|| module.name(own.name).to_owned())
    })
}

/// Hooks whose value changes from render to render. `useRef` hands out the same object, `useChat` the same helpers.
fn is_state_hook(name: &str) -> bool {
    matches!(name, "useState" | "useReducer" | "useContext" | "useSearchParams" | "useAtom" | "useAtomValue" | "useLocalStorage")
}

/// The name that a read begins with: `settings` of `settings.tone`.
fn root(module: &Module, mut expr: ExprId) -> Option<ExprId> {
    for _ in 0..16 {
        expr = match module.expr(module.peel(expr)).kind {
            ExprKind::Member { object, .. } | ExprKind::Index { object, .. } => object,
            ExprKind::Ident { .. } => return Some(module.peel(expr)),
            _ => return None,
        };
    }
    None
}
